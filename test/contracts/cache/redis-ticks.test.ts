import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { Redis } from 'ioredis';
import pino from 'pino';
import { startRedis } from '../../../infra/servers/redis.ts';
import type { Server } from '../../../infra/servers/server.ts';
import { VIEWED_KEYS } from '../../../shared/adapters/cache/redis-records.ts';
import { itemKey } from '../../../shared/items/item.ts';
import type { Cache, WindowRule } from '../../../shared/ports/cache.ts';
import { START_LIMIT_MS, startOwn } from '../../servers.ts';
import { cachedEntry, freshItem, kvRecord, liveRecord, openCurrentCache, removedRecord } from './fixtures.ts';

setDefaultTimeout(60_000);
const RULE: WindowRule = { name: 'ticks', limit: 1_000, seconds: 60 };
let server: Server & { url: string; end(): Promise<void> };
let cache: Cache;
let admin: Redis;

// A server of its own: its statistics are this file's alone.
beforeAll(async () => {
  server = await startOwn(startRedis);
  cache = await openCurrentCache({ url: server.url, log: pino({ level: 'silent' }) });
  admin = new Redis(server.url);
}, START_LIMIT_MS);
afterAll(async () => {
  await cache?.close();
  admin?.disconnect();
  await server?.end();
}, START_LIMIT_MS);

async function scriptsRun(): Promise<number> {
  const statistics = await admin.info('commandstats');
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(statistics)?.[1] ?? 0);
}

/** How many scripts Redis ran for a round, which learns nothing new from it. */
async function scriptsOf(round: () => Promise<unknown>): Promise<number> {
  await round();
  const before = await scriptsRun();
  await round();
  return (await scriptsRun()) - before;
}

test('visits of one turn, of an item and its keys, and hits are one command, and each has its own number', async () => {
  const item = freshItem();
  await cache.putRecord(kvRecord(item));
  for (const key of ['a', 'b']) await cache.putEntry(item, cachedEntry(key, 1), Date.now() + 60_000);
  const visit = (index: number) =>
    index % 3 === 0 ? cache.visit(item, true) : cache.visitEntry(item, index % 3 === 1 ? 'a' : 'b', true);
  const views: number[] = [];
  const hits: number[] = [];
  const run = await scriptsOf(async () => {
    const visits = Array.from({ length: 60 }, (_, index) => visit(index));
    const counted = Array.from({ length: 60 }, () => cache.hit(RULE, item.id));
    for (const reply of await Promise.all(visits)) views.push(reply.views);
    for (const state of await Promise.all(counted)) hits.push(state.hits);
  });
  expect(run).toBe(1);
  const numbers = Array.from({ length: 120 }, (_, index) => index + 1);
  expect(views.toSorted((one, other) => one - other)).toEqual(numbers);
  expect(hits).toEqual(numbers);
});

test.each([
  [49, 1],
  [50, 1],
  [51, 2],
  [101, 3],
])('visits of %d items in one turn are %d commands', async (count, commands) => {
  const items = Array.from({ length: count }, () => freshItem());
  for (const [index, item] of items.entries())
    await cache.putRecord(liveRecord(item, { version: index + 1 }));
  const run = await scriptsOf(() => Promise.all(items.map((item) => cache.visit(item, true))));
  expect(run).toBe(commands);
  const replies = await Promise.all(items.map((item) => cache.visit(item, false)));
  expect(replies).toMatchObject(items.map((_, index) => ({ views: 2, record: { version: index + 1 } })));
});

test('an error concerns its own call of a command alone', async () => {
  const [item, other] = [freshItem(), freshItem()];
  for (const one of [item, other]) await cache.putRecord(liveRecord(one));
  await admin.lpush(`views:{${item.namespace}/${item.id}}`, 'no number');
  await admin.lpush(`window:${RULE.seconds}:${RULE.name}:${item.id}`, 'no number');
  const [broken, sound, counted, alone] = await Promise.allSettled([
    cache.visit(item, true),
    cache.visit(other, true),
    cache.hit(RULE, other.id),
    cache.hit(RULE, item.id),
  ]);
  expect(broken).toMatchObject({ reason: { code: 'UNAVAILABLE' } });
  expect(sound).toMatchObject({ value: { views: 1 } });
  expect(counted).toMatchObject({ value: { hits: 1 } });
  expect(alone).toMatchObject({ value: { hits: 1 } });
  expect(await admin.type(`window:${RULE.seconds}:${RULE.name}:${item.id}`)).toBe('list');
});

test('a view is noted for the snapshot by the time it is counted', async () => {
  const item = freshItem();
  await cache.putRecord(kvRecord(item));
  await cache.visit(item, true);
  expect(await admin.zscore(VIEWED_KEYS.first, itemKey(item))).not.toBeNull();
});

test('records of one turn cost one command for each store', async () => {
  const [item, neighbour] = [freshItem(), freshItem()];
  const end = Date.now() + 60_000;
  const round = (sequence: number): Promise<boolean[]> =>
    Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        cache.putEntry(index % 4 === 0 ? neighbour : item, cachedEntry(`k${index}`, sequence), end),
      ),
    );
  await round(1);
  const before = await scriptsRun();
  expect(await round(2)).toEqual(Array.from({ length: 40 }, () => true));
  expect(await scriptsRun()).toBe(before + 2);
});

test('the records of a store are one hash that ends with it and goes with it', async () => {
  const item = freshItem();
  const expiresAt = Date.now() + 60_000;
  const hash = `entries:{${item.namespace}/${item.id}}`;
  await cache.putRecord(kvRecord(item, { expiresAt }));
  for (const key of ['a', 'b']) await cache.putEntry(item, cachedEntry(key, 1), expiresAt);
  expect(await admin.hlen(hash)).toBe(2);
  expect(await admin.pexpiretime(hash)).toBe(expiresAt);
  await cache.putRecord(kvRecord(item, { version: 2, expiresAt: expiresAt + 5_000 }));
  expect(await admin.pexpiretime(hash)).toBe(expiresAt + 5_000);
  await cache.putRecord(removedRecord(item, 3));
  expect(await admin.exists(hash)).toBe(0);
});
