import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { Redis } from 'ioredis';
import pino from 'pino';
import { startRedis } from '../../../infra/servers/redis.ts';
import type { Server } from '../../../infra/servers/server.ts';
import { VIEWED_KEYS } from '../../../shared/adapters/cache/redis-records.ts';
import { itemKey } from '../../../shared/items/item.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { START_LIMIT_MS, startOwn } from '../../servers.ts';
import { cachedEntry, freshItem, kvRecord, openCurrentCache, removedRecord } from './fixtures.ts';

setDefaultTimeout(60_000);
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

test('visits of one turn cost one command for each item and key', async () => {
  const item = freshItem();
  await cache.putRecord(kvRecord(item));
  for (const key of ['a', 'b']) await cache.putEntry(item, cachedEntry(key, 1), Date.now() + 60_000);
  const round = (): Promise<unknown> =>
    Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 3 === 0 ? cache.visit(item, true) : cache.visitEntry(item, index % 3 === 1 ? 'a' : 'b', true),
      ),
    );
  // The server has learnt the scripts then.
  await round();
  const before = await scriptsRun();
  await round();
  expect(await scriptsRun()).toBe(before + 3);
  expect(await cache.viewsOf([item])).toEqual([120]);
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
