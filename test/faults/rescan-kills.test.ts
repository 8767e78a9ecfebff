import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { startClamd } from '../../infra/servers/clamd.ts';
import { freePort } from '../../infra/servers/port.ts';
import { createClient, jsonOf, type Published } from '../acceptance/support/client.ts';
import { type Started, scansOf, startRescan } from '../acceptance/support/quarantine.ts';
import { startInstance } from '../instance.ts';
import { startOwn } from '../servers.ts';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { useRunning, useStarted } from '../started.ts';
import { embeddedOf, killPerchAlone } from './embedded-process.ts';
import { until } from './waiting.ts';

setDefaultTimeout(240_000);

const ITEMS = 60;
/** Every so many items have what the scanner learns later. */
const INFECTED_EVERY = 3;
const KILLS = 2;
/** Longer than the lease of an item, and what is left of a rescan, in ms. */
const LEASE_LIMIT_MS = 120_000;

const port = await freePort();
/** clamd wants one; nothing that is published has it. */
const KNOWN = { name: 'Known', part: new TextEncoder().encode('in nothing that is published here') };

const clamd = useStarted(
  () => startOwn(({ dir }) => startClamd({ dir, port, signatures: [KNOWN] })),
  ({ end }) => end(),
);

const perch = useRunning(() =>
  startInstance({
    mode: 'embedded',
    joined: true,
    env: { ADMIN_PASSWORD, CLAMD_URL: `tcp://127.0.0.1:${port}`, RESCAN_PER_SECOND: '20' },
  }),
);
const client = createClient(() => perch.url);

const newestRun = async () => {
  const [run] = (await scansOf(client)).runs;
  if (run === undefined) throw new Error('there is no rescan');
  return run;
};

/** How often the log says that an item was put into quarantine, over all its processes. */
async function quarantined(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const file of perch.logFiles) {
    for (const line of (await readFile(file, 'utf8')).split('\n')) {
      if (!line.includes('an item was put into quarantine')) continue;
      const { item } = JSON.parse(line) as { item: string };
      counts.set(item, (counts.get(item) ?? 0) + 1);
    }
  }
  return counts;
}

test('a rescan whose process is killed in its midst ends after the restart: each item counts once, none is quarantined twice', async () => {
  const secret = `learnt later ${crypto.randomUUID()}`;
  const isInfected = (n: number): boolean => n % INFECTED_EVERY === 0;
  const pages: Published[] = [];
  for (let n = 0; n < ITEMS; n++)
    pages.push(await client.publish(`<p>${n} ${isInfected(n) ? secret : 'harmless'}`));
  await clamd.stop();
  await clamd.learn([KNOWN, { name: 'Later', part: new TextEncoder().encode(secret) }]);
  await clamd.start();
  const { started, run: begun } = await jsonOf<Started>(await startRescan(client));
  expect(started).toBe(true);

  for (let kill = 1; kill <= KILLS; kill++) {
    const goal = (kill * ITEMS) / (KILLS + 2);
    await until(`${goal} items are looked through`, async () => (await newestRun()).scanned >= goal);
    // A paused clamd answers nobody: the items under way are under the lease of the process that dies.
    clamd.pause();
    const { scanned } = await newestRun();
    await Bun.sleep(1_500);
    expect((await newestRun()).scanned - scanned).toBeLessThanOrEqual(2);
    await killPerchAlone(perch);
    clamd.resume();
    await embeddedOf(perch).start();
    expect((await newestRun()).finishedAt).toBeNull();
  }

  await until('the rescan has ended', async () => (await newestRun()).finishedAt !== null, LEASE_LIMIT_MS);
  const run = await newestRun();
  expect(run.runId).toBe(begun.runId);
  expect([run.queued, run.scanned]).toEqual([ITEMS, ITEMS]);
  expect(run.found).toBe(ITEMS / INFECTED_EVERY);
  const statuses = await Promise.all(pages.map(async (page) => (await client.read(page)).status));
  expect(statuses).toEqual(pages.map((_, n) => (isInfected(n) ? 451 : 200)));
  const counts = await quarantined();
  expect(new Set(counts.values())).toEqual(new Set([1]));
  // A kill may come between a commit and its line in the log.
  expect(counts.size).toBeGreaterThanOrEqual(ITEMS / INFECTED_EVERY - KILLS);
});
