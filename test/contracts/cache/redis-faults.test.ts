import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { Redis } from 'ioredis';
import pino from 'pino';
import { freePort } from '../../../infra/servers/port.ts';
import { startRedis } from '../../../infra/servers/redis.ts';
import type { Server } from '../../../infra/servers/server.ts';
import { createRedisCache } from '../../../shared/adapters/cache/redis.ts';
import type { Cache, WindowRule } from '../../../shared/ports/cache.ts';
import { pauseServer, START_LIMIT_MS, startOwn } from '../../servers.ts';
import { cachedEntry, freshItem, kvRecord, liveRecord, openCurrentCache, until } from './fixtures.ts';

setDefaultTimeout(60_000);
const UNAVAILABLE = { code: 'UNAVAILABLE' };
const RULE: WindowRule = { name: 'faults', limit: 5, seconds: 60 };
const log = pino({ level: 'silent' });
const later = (): number => Date.now() + 60_000;

let server: Server & { url: string; end(): Promise<void> };
let cache: Cache;

beforeAll(async () => {
  server = await startOwn(startRedis);
}, START_LIMIT_MS);

beforeEach(async () => {
  await cache?.close();
  cache = await openCurrentCache({ url: server.url, log, timeoutMs: 1_000 });
});

afterAll(async () => {
  await cache?.close();
  await server?.end();
}, START_LIMIT_MS);

/** Until the cache has found its server again. */
const back = (): Promise<void> =>
  until(() =>
    cache.check().then(
      () => true,
      () => false,
    ),
  );

test(
  'a killed server: records are UNAVAILABLE at once, windows and counts go on in memory and are added later',
  async () => {
    // Views whose command times out are given up, as Redis may have counted them. Ten seconds keep a busy machine from that.
    await cache.close();
    cache = await openCurrentCache({ url: server.url, log, timeoutMs: 10_000 });
    const item = freshItem();
    await cache.putRecord(liveRecord(item));
    await cache.visit(item, true);
    expect(await cache.countViews(item, 1)).toBe(2);
    for (let hit = 1; hit <= 3; hit++) await cache.hit(RULE, 'killed');

    await server.kill();
    await until(() =>
      cache.check().then(
        () => false,
        () => true,
      ),
    );
    await expect(cache.visit(item, true)).rejects.toMatchObject(UNAVAILABLE);
    await expect(cache.putRecord(liveRecord(item))).rejects.toMatchObject(UNAVAILABLE);
    for (const count of [true, false]) {
      await expect(cache.visitEntry(item, 'a', count)).rejects.toMatchObject(UNAVAILABLE);
    }
    await expect(cache.putEntry(item, cachedEntry('a', 1), later())).rejects.toMatchObject(UNAVAILABLE);
    await expect(cache.forgetEntry(item, 'a', 1)).rejects.toMatchObject(UNAVAILABLE);
    expect(await cache.viewsOf([item, freshItem()])).toEqual([0, 0]);
    await expect(cache.check()).rejects.toMatchObject(UNAVAILABLE);
    const hits = await Promise.all([1, 2, 3, 4].map(() => cache.hit(RULE, 'killed')));
    expect(hits.map((state) => state.hits)).toEqual([1, 2, 3, 4]);
    await cache.giveBack(RULE, 'killed');
    expect((await cache.peek(RULE, 'killed')).hits).toBe(3);
    for (const views of [5, -2, 0]) await cache.countViews(item, views);
    const takenBack = freshItem();
    await cache.countViews(takenBack, -2);
    expect(await cache.viewsOf([freshItem(), item, takenBack])).toEqual([0, 3, 0]);

    await server.start();
    await back();
    await until(async () => (await cache.visit(item, false)).views === 5);
    expect(await cache.viewsOf([freshItem(), item])).toEqual([0, 5]);
    expect((await cache.hit(RULE, 'killed')).hits).toBe(4);
    expect((await cache.visit(item, true)).views).toBe(6);
  },
  START_LIMIT_MS,
);

test(
  'a paused server: nothing waits longer than its timeout, and no view is counted twice',
  async () => {
    const [item, store] = [freshItem(), freshItem()];
    await cache.putRecord(liveRecord(item));
    await cache.putRecord(kvRecord(store));
    await cache.putEntry(store, cachedEntry('a', 1), later());
    await pauseServer(server);
    try {
      await Promise.all([
        expect(cache.visit(item, false)).rejects.toMatchObject(UNAVAILABLE),
        expect(cache.putRecord(liveRecord(item))).rejects.toMatchObject(UNAVAILABLE),
        expect(cache.visitEntry(store, 'a', false)).rejects.toMatchObject(UNAVAILABLE),
        expect(cache.visitEntry(store, 'b', true)).rejects.toMatchObject({ code: 'TIMEOUT' }),
        expect(cache.putEntry(store, cachedEntry('c', 1), later())).rejects.toMatchObject(UNAVAILABLE),
        expect(cache.forgetEntry(store, 'a', 2)).rejects.toMatchObject(UNAVAILABLE),
        expect(cache.viewsOf([store, item])).resolves.toEqual([0, 0]),
        expect(cache.check()).rejects.toMatchObject(UNAVAILABLE),
        cache.countViews(item, 3),
      ]);
      expect((await cache.hit(RULE, 'paused')).hits).toBe(1);
      expect((await cache.hit(RULE, 'paused')).hits).toBe(2);
    } finally {
      server.resume();
    }
    await back();
    expect(await cache.countViews(item, 1)).toBe(4);
    expect((await cache.visit(item, false)).views).toBe(4);
    expect((await cache.visitEntry(store, 'a', false)).entry).toEqual(cachedEntry('a', 1));
    // The visit that had no answer counts once at most.
    expect((await cache.visitEntry(store, 'b', true)).views).toBeWithin(1, 3);
  },
  START_LIMIT_MS,
);

test('views that were not sent are sent before the cache is closed', async () => {
  const item = freshItem();
  const admin = new Redis(server.url);
  await cache.putRecord(liveRecord(item));
  // A server that is up but refuses to write, as one that is out of memory does.
  await admin.config('SET', 'maxmemory', '1');
  await cache.countViews(item, 7);
  await admin.config('SET', 'maxmemory', '0');
  await cache.close();
  expect(await admin.get(`views:{${item.namespace}/${item.id}}`)).toBe('7');
  admin.disconnect();
});

test('views that were not sent go with the next that are', async () => {
  const item = freshItem();
  const admin = new Redis(server.url);
  await cache.putRecord(liveRecord(item));
  await admin.config('SET', 'maxmemory', '1');
  await cache.countViews(item, 7);
  await admin.config('SET', 'maxmemory', '0');
  await cache.countViews(freshItem(), 1);
  await until(async () => (await cache.visit(item, false)).views === 7);
  admin.disconnect();
});

test('scripts that the server has forgotten are sent again, and nothing is lost or counted twice', async () => {
  const item = freshItem();
  const admin = new Redis(server.url);
  await cache.putRecord(kvRecord(item));
  const seen: number[] = [];
  for (let round = 0; round < 10; round++) {
    const [visits] = await Promise.all([
      Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          index < 5 ? cache.visit(item, true) : cache.visitEntry(item, `k${index % 2}`, true),
        ),
      ),
      cache.hit(RULE, 'flushed'),
      admin.script('FLUSH'),
    ]);
    seen.push(...visits.map(({ views }) => views));
    await admin.script('FLUSH');
    expect(await cache.putRecord(kvRecord(item))).toBe(true);
    await admin.script('FLUSH');
    expect(await cache.putEntry(item, cachedEntry('k0', round + 1), later())).toBe(true);
    await admin.script('FLUSH');
    await cache.forgetEntry(item, 'k0', round);
    await admin.script('FLUSH');
    await cache.countViews(item, 0);
  }
  expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  expect((await cache.peek(RULE, 'flushed')).hits).toBe(10);
  expect((await cache.visitEntry(item, 'k0', false)).entry).toEqual(cachedEntry('k0', 10));
  admin.disconnect();
});

test('no server at the start is an error', async () => {
  const url = `redis://127.0.0.1:${await freePort()}`;
  await expect(createRedisCache({ url, log })).rejects.toThrow();
});
