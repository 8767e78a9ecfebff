import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  launch,
  type RunningConnections,
  slowPages,
  slowReaders,
  slowSites,
  stalledForms,
} from '../../infra/soak/attacks.ts';
import {
  failuresIn,
  LARGE_READ,
  letBystandersActOnce,
  type Published,
  publishForBystanders,
} from '../../infra/soak/bystanders.ts';
import { createSoakClient } from '../../infra/soak/soak-client.ts';
import { eventually } from './support/concurrency.ts';
import { usePerch } from './support/perch.ts';

setDefaultTimeout(120_000);

/** Half of the requests and of the long reads that a gateway takes are one client's at most. */
const SHARE = { requests: 2_500, longReads: 96 };

describe('nine clients publish and read', () => {
  const perch = usePerch({ env: { TRUST_PROXY: '1' } });
  let published: Published;

  beforeAll(async () => {
    published = await publishForBystanders(perch.url);
  });

  const underWay = async (): Promise<number> => {
    const metrics = await (await fetch(`${perch.url}/metrics`)).text();
    return Number(/^http_requests_under_way\{[^}]*\} (\d+)$/m.exec(metrics)?.[1]);
  };
  /** They all do everything once, while the attack goes on. */
  const expectNoErrors = async (attackers: RunningConnections[], holds: () => Promise<boolean>) => {
    try {
      await eventually(holds);
      expect(failuresIn(await letBystandersActOnce(perch.url, published))).toEqual([]);
    } finally {
      for (const attacker of attackers) attacker.stop();
    }
    await eventually(async () => (await underWay()) === 1);
  };

  test('while another one holds as many requests as it can with forms that stand still', async () => {
    const attacker = launch(perch.url, stalledForms('10.66.0.1', SHARE.requests + 100));
    // More than that when the first ones come again before the last one has come.
    const refused = async () => (attacker.statuses.get(503) ?? 0) >= 100;
    await expectNoErrors([attacker], refused);
  });

  test('while nine others send pages and sites without a length, a byte at a time', async () => {
    const attackers = [
      ...[1, 2, 3, 4, 5].map((n) => launch(perch.url, slowPages(`10.66.1.${n}`, 2))),
      ...[1, 2, 3, 4].map((n) => launch(perch.url, slowSites(`10.66.2.${n}`, 2))),
    ];
    await expectNoErrors(attackers, async () => (await underWay()) > 18);
  });

  test('while another one reads a large file from more connections than there are, and takes nothing', async () => {
    const attacker = launch(perch.url, slowReaders('10.66.0.1', 250, published.largePath));
    const held = async () =>
      (attacker.statuses.get(200) ?? 0) >= SHARE.longReads && attacker.statuses.has(503);
    // The store first sends all that the kernel takes in for such readers, a gigabyte, and a slow one lets others wait for that.
    const other = createSoakClient(perch.url, { 'X-Forwarded-For': '10.67.0.1' });
    const isAtRest = async () =>
      (await other.ask('read', { path: published.largePath, headers: LARGE_READ, wants: 206 })) !== null;
    await expectNoErrors([attacker], async () => (await held()) && (await isAtRest()));
  });
});
