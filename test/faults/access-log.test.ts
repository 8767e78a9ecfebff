import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { metricOf } from '../../infra/faults/audit/access-log.ts';
import type { Instance } from '../instance.ts';
import { openAccessLog, startTraffic } from './access-traffic.ts';
import { createPage, readRaw, summary } from './client.ts';
import { serverOf, startOnOwnServers } from './own-servers.ts';
import { until, untilReady } from './waiting.ts';

setDefaultTimeout(180_000);

const PAGE = '/faults/hot';
let perch: Instance;
let accessLog: ReturnType<typeof openAccessLog>;

beforeAll(async () => {
  perch = await startOnOwnServers();
  accessLog = openAccessLog(perch);
  expect(summary(await createPage(perch.url, { id: 'hot', content: '<p>hot' }))).toBe('201');
  expect(summary(await readRaw(perch.url, PAGE))).toBe('200');
}, 300_000);
afterAll(async () => {
  await accessLog?.close();
  await perch?.stop();
}, 300_000);

const dropped = (): Promise<number> => metricOf(perch.url, 'access_events_dropped_total');
const buffered = (): Promise<number> => metricOf(perch.url, 'access_events_buffered');

/** Does something twice under traffic. Every request is answered, and logged exactly once. */
async function logsAllThrough(label: string, act: () => Promise<void>): Promise<void> {
  const before = await dropped();
  const traffic = startTraffic(perch.url, PAGE, label);
  for (let round = 1; round <= 2; round++) {
    await until('requests are under way', async () => traffic.answered >= round * 200);
    await act();
  }
  const afterwards = traffic.answered;
  await until('requests go on', async () => traffic.answered >= afterwards + 200);
  const answered = await traffic.end();
  const logged = await accessLog.untilLogged(label, answered.length);
  expect(logged).toEqual(answered.toSorted());
  expect((await dropped()) - before).toBe(0);
  await until('nothing is buffered', async () => (await buffered()) <= 1);
}

test('analytics killed and started again: each request is logged once', async () => {
  const [analytics] = perch.services.analytics;
  await logsAllThrough('analytics', async () => {
    await analytics?.kill();
    await Bun.sleep(500);
    await analytics?.start();
  });
});

test('PostgreSQL killed and started again: each request is logged once', async () => {
  const database = serverOf(perch, 'postgres');
  await logsAllThrough('postgres', async () => {
    await database.kill();
    await Bun.sleep(500);
    await database.start();
  });
  await untilReady(perch.url);
});

test('NATS killed and started again: all go on being answered, and each request is logged once', async () => {
  const nats = serverOf(perch, 'nats');
  await logsAllThrough('nats', async () => {
    await nats.kill();
    await Bun.sleep(500);
    await nats.start();
  });
  await untilReady(perch.url);
});

test('NATS away for long: requests are answered, and what is missing in the log is what was counted as dropped', async () => {
  const nats = serverOf(perch, 'nats');
  const before = await dropped();
  await nats.kill();
  // With a head like this one some eleven thousand requests are what the buffer holds.
  const headers = {
    'User-Agent': `Long/1.0 ${'"'.repeat(600)}`,
    Referer: `https://a.example/?${'"'.repeat(1_200)}`,
  };
  const rest = '\\'.repeat(1_100);
  const total = 12_500;
  let next = 0;
  const statuses = new Set<number>();
  const lane = async (): Promise<void> => {
    while (next < total) {
      const response = await fetch(`${perch.url}${PAGE}?raw=true&mark=away-${next++}&rest=${rest}`, {
        headers,
      });
      statuses.add(response.status);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 32 }, lane));
  expect([...statuses]).toEqual([200]);
  expect(await buffered()).toBeGreaterThan(1_000);

  await nats.start();
  await untilReady(perch.url);
  await until('nothing is buffered', async () => (await buffered()) <= 1);
  const lost = (await dropped()) - before;
  expect(lost).toBeGreaterThan(0);
  expect(lost).toBeLessThan(total);
  const logged = await accessLog.untilLogged('away', total - lost);
  expect(new Set(logged).size).toBe(logged.length);
  expect(logged).toHaveLength(total - lost);
  // The oldest go first: the last ones are all there.
  const last = Array.from({ length: 1_000 }, (_, n) => `away-${total - 1 - n}`);
  expect(last.filter((mark) => !logged.includes(mark))).toEqual([]);
});

test('a gateway and analytics that are told to stop lose nothing', async () => {
  const [gateway] = perch.services.gateways;
  const [analytics] = perch.services.analytics;
  const traffic = startTraffic(perch.url, PAGE, 'stop');
  await until('requests are under way', async () => traffic.answered >= 200);
  const answered = await traffic.end();
  await Promise.all([gateway?.stop(), analytics?.stop()]);
  await Promise.all([gateway?.start(), analytics?.start()]);
  await untilReady(perch.url);
  expect(await accessLog.untilLogged('stop', answered.length)).toEqual(answered.toSorted());
});
