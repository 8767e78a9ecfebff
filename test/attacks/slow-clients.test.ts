import { expect, test } from 'bun:test';
import { launch, slowPages, slowReaders, slowSites, stalledForms } from '../../infra/soak/attacks.ts';
import { failuresIn, letBystandersAct, publishForBystanders } from '../../infra/soak/bystanders.ts';
import { usePerch } from '../acceptance/support/perch.ts';

/** Longer than the windows of the least pace for bodies (15 s) and readers (60 s), twice. */
const SECONDS = 130;

/** Of each of the nine others between two requests, on average. */
const PAUSE_MS = 400;

const perch = usePerch({ env: { TRUST_PROXY: '1' } });

test('slow clients are ended one after the other, and nine others notice nothing of all they try', async () => {
  const published = await publishForBystanders(perch.url);
  const readers = slowReaders('10.66.0.2', 250, published.largePath);
  const attacks = [
    stalledForms('10.66.0.1', 5_100),
    slowPages('10.66.1.1', 20),
    slowSites('10.66.2.1', 20),
    { ...readers, connections: { ...readers.connections, sips: false } },
  ];
  const running = attacks.map((attack) => launch(perch.url, attack));
  try {
    const outcomes = await letBystandersAct(perch.url, published, SECONDS, PAUSE_MS);
    expect(failuresIn(outcomes)).toEqual([]);
    expect([...outcomes.values()].every(({ requests }) => requests > 0)).toBe(true);
    const [forms, pages, sites, readings] = running;
    for (const bodies of [forms, pages, sites]) expect(bodies?.statuses.get(400) ?? 0).toBeGreaterThan(0);
    // More began than there are places for one client: those of readers that were cut off were given to others.
    expect(readings?.statuses.get(200) ?? 0).toBeGreaterThan(96);
  } finally {
    for (const connections of running) connections.stop();
  }
}, 600_000);
