import { expect, setDefaultTimeout, test } from 'bun:test';
import { startKeyTraffic } from '../../infra/load/key-traffic.ts';
import { pauseServer } from '../servers.ts';
import { useRunning } from '../started.ts';
import { processesOf, serverOf, startOnOwnServers } from './own-servers.ts';
import { until, untilDown, untilReady } from './waiting.ts';

setDefaultTimeout(120_000);

// The regular sweep does not come in time: what the cache missed must be noticed.
const perch = useRunning(() =>
  startOnOwnServers({ SWEEP_INTERVAL_SECONDS: '3600' }, { gateways: 2, kvs: 2 }),
);

/**
 * Writes go on without the cache. A value that the cache missed may be served until it is told, and never after that.
 */
async function withoutRedis(
  takeAway: () => void | Promise<void>,
  bringBack: () => void | Promise<void>,
): Promise<void> {
  const before = processesOf(perch);
  const traffic = await startKeyTraffic({ gateways: perch.gateways });
  await traffic.moreChanges(50);
  traffic.mayBeBehind();
  await takeAway();
  await untilDown(perch.url, 'cache');
  await traffic.moreChanges(60);
  await bringBack();
  await untilReady(perch.url);
  await traffic.stop();
  await until('every key is what was written last', async () => (await traffic.missing()).length === 0);
  for (let read = 0; read < 10; read++) {
    expect(await traffic.missing()).toEqual([]);
    await Bun.sleep(200);
  }
  expect(traffic.faults).toEqual([]);
  expect(processesOf(perch)).toEqual(before);
  await strictTraffic();
}

/** All is as before: no older value is served at any moment. */
async function strictTraffic(): Promise<void> {
  const traffic = await startKeyTraffic({ gateways: perch.gateways });
  await traffic.moreChanges(50);
  await traffic.stop();
  expect(traffic.faults).toEqual([]);
  expect(await traffic.missing()).toEqual([]);
}

test('Redis killed under KV writes: they go on, and what it missed is seen soon after it is back', async () => {
  const redis = serverOf(perch, 'redis');
  await withoutRedis(redis.kill, redis.start);
});

test('Redis frozen under KV writes: the same, slower', async () => {
  const redis = serverOf(perch, 'redis');
  await withoutRedis(() => pauseServer(redis), redis.resume);
});

test('NATS killed under KV writes: they are refused, no old value is served, and it recovers by itself', async () => {
  const nats = serverOf(perch, 'nats');
  const before = processesOf(perch);
  const traffic = await startKeyTraffic({ gateways: perch.gateways });
  await traffic.moreChanges(50);
  await nats.kill();
  await untilDown(perch.url, 'bus');
  await nats.start();
  await untilReady(perch.url);
  await traffic.moreChanges(50);
  await traffic.stop();
  expect(traffic.faults).toEqual([]);
  expect(await traffic.missing()).toEqual([]);
  expect(processesOf(perch)).toEqual(before);
});
