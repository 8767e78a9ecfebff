import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { Redis } from 'ioredis';
import pino from 'pino';
import { startRedisCluster } from '../../../infra/servers/redis-cluster.ts';
import type { ServerGroup } from '../../../infra/servers/server.ts';
import { createRedisCache } from '../../../shared/adapters/cache/redis.ts';
import { recordKey } from '../../../shared/adapters/cache/redis-records.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import { until } from '../../faults/waiting.ts';
import { pauseServer, START_LIMIT_MS, startOwnGroup } from '../../servers.ts';
import { cacheContract } from './contract.ts';
import { freshItem, liveRecord, makeCurrent, openCurrentCache } from './fixtures.ts';

setDefaultTimeout(120_000);
const log = pino({ level: 'silent' });
let group: ServerGroup & { end(): Promise<void> };

beforeAll(async () => {
  group = await startOwnGroup(({ dir }) => startRedisCluster({ dir, primaries: 3, replicas: 1 }));
}, START_LIMIT_MS);
afterAll(() => group?.end(), START_LIMIT_MS);

cacheContract('Redis Cluster of three', async () => {
  const open = () => openCurrentCache({ url: group.url, log, timeoutMs: 30_000 });
  return [await open(), await open()];
});

const PRIMARIES = 3;
const portOf = (place: number): number => Number(group.members[place]?.name.split(' ')[1]);

/** An item whose keys are on that primary. */
function itemOn(place: number): ItemRef {
  for (;;) {
    const item = freshItem();
    const slot = slotOf(itemKey(item));
    if (Math.floor((slot * PRIMARIES) / 16_384) === place) return item;
  }
}

/** The slot of a hash tag: CRC16 (XMODEM) modulo their number (Redis Cluster specification). */
function slotOf(tag: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc % 16_384;
}

test('what a replica that takes over has not heard of is not served, and the rest is after a pass', async () => {
  const writer = await createRedisCache({ url: group.url, log, settledAfterMs: 0 });
  const reader = await createRedisCache({ url: group.url, log, settledAfterMs: 0 });
  try {
    await makeCurrent(writer);
    await until('the reader is current', async () => (await reader.stateOf('items')).isCurrent);
    const item = itemOn(1);
    expect(await writer.putRecord(liveRecord(item, { version: 1 }))).toBe(true);
    const replica = group.members[PRIMARIES + 1];
    const old = new Redis({ port: portOf(PRIMARIES + 1), lazyConnect: true });
    await old.call('READONLY');
    await until('the replica has it', async () => (await old.get(recordKey(itemKey(item)))) !== null);
    if (replica !== undefined) await pauseServer(replica);
    // Else version 2 would wait for it in the connection.
    const primary = new Redis({ port: portOf(1), lazyConnect: true });
    await primary.call('CLIENT', 'KILL', 'TYPE', 'replica');
    primary.disconnect();
    expect(await writer.putRecord(liveRecord(item, { version: 2 }))).toBe(true);
    await group.members[1]?.kill();
    replica?.resume();
    await until('the replica has taken over', async () =>
      String(await old.call('ROLE')).startsWith('master'),
    );
    // The replica knows version 1 alone. Until a pass has told it what it lacks, nobody says anything.
    const seen = new Set<number | undefined>();
    for (let n = 0; n < 50; n++) {
      const { record } = await reader.visit(item, false).catch(() => ({ record: null }));
      seen.add(record?.version);
      await Bun.sleep(20);
    }
    expect([...seen]).toEqual([undefined]);
    await until('somebody tells it what it lacks', async () => {
      await writer.putRecord(liveRecord(item, { version: 2 }));
      await makeCurrent(writer);
      return (await writer.stateOf('items')).isCurrent;
    });
    await until('it is served again', async () => {
      const { record } = await reader.visit(item, false).catch(() => ({ record: null }));
      return record?.version === 2;
    });
    old.disconnect();
  } finally {
    await Promise.all([writer.close(), reader.close()]);
    await group.members[1]?.start();
  }
});

test('views of an item whose servers are all away were never sent, and wait in the process', async () => {
  const cache = await createRedisCache({ url: group.url, log });
  const item = itemOn(2);
  const servers = [group.members[2], group.members[PRIMARIES + 2]];
  try {
    await Promise.all(servers.map((server) => server?.kill()));
    await until('they are away', () =>
      cache.stateOf('items').then(
        () => false,
        () => true,
      ),
    );
    for (let view = 0; view < 40; view++) {
      await cache.countViews(item, 1);
      await Bun.sleep(50);
    }
    expect(await cache.viewsOf([item])).toEqual([40]);
  } finally {
    await cache.close();
    await Promise.all(servers.map((server) => server?.start()));
  }
});

test('a process that starts while the cluster has lost most of its primaries goes on when they are back', async () => {
  const servers = [1, 2].flatMap((place) => [group.members[place], group.members[PRIMARIES + place]]);
  const other = new Redis({ port: portOf(0), lazyConnect: true });
  const state = async () => /^cluster_state:(\w+)/.exec(String(await other.call('CLUSTER', 'INFO')))?.[1];
  try {
    await Promise.all(servers.map((server) => server?.kill()));
    await until('the cluster has found out', async () => (await state()) === 'fail');
    const opening = createRedisCache({ url: group.url, log });
    await Bun.sleep(500);
    await Promise.all(servers.map((server) => server?.start()));
    await (await opening).close();
  } finally {
    other.disconnect();
    await Promise.all(servers.filter((server) => !server?.isRunning()).map((server) => server?.start()));
  }
});

test('a cluster of which no server is left does not count as one that answers', async () => {
  const cache = await createRedisCache({ url: group.url, log });
  const answers = () =>
    cache.check().then(
      () => true,
      () => false,
    );
  try {
    expect(await answers()).toBe(true);
    await Promise.all(group.members.map((server) => server.kill()));
    await until('it does not answer', async () => !(await answers()));
    // The client finds out of one server after the other that it is gone, and knows none in the end.
    for (let look = 0; look < 40; look++) {
      expect(await answers()).toBe(false);
      await Bun.sleep(50);
    }
    await expect(cache.memory()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(cache.forget('items', null, async () => undefined)).rejects.toThrow();
  } finally {
    await cache.close();
  }
});

test('a cluster of one server that is named as a server takes visits and hits of many items at once', async () => {
  const one = await startOwnGroup(({ dir }) => startRedisCluster({ dir, primaries: 1 }));
  try {
    const cache = await openCurrentCache({ url: one.url.replace('+cluster', ''), log, timeoutMs: 30_000 });
    const items = Array.from({ length: 20 }, () => freshItem());
    const rule = { name: 'cluster', limit: 5, seconds: 60 };
    for (const item of items) await cache.putRecord(liveRecord(item));
    const round = () =>
      Promise.all(items.flatMap((item) => [cache.visit(item, true), cache.hit(rule, item.id)]));
    await round();
    expect(await round()).toMatchObject(items.flatMap(() => [{ views: 2 }, { hits: 2 }]));
    await cache.close();
  } finally {
    await one.end();
  }
});
