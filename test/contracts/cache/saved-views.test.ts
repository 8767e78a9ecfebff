import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { startRedis } from '../../../infra/servers/redis.ts';
import type { Server } from '../../../infra/servers/server.ts';
import { createMemoryCache } from '../../../shared/adapters/cache/memory.ts';
import { systemClock } from '../../../shared/clock.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { START_LIMIT_MS, startOwn, temporaryFolder } from '../../servers.ts';
import { type CachePair, freshItem, liveRecord, openCurrentCache, until } from './fixtures.ts';
import { SHORT_SPAN, savedViewsContract } from './saved-views-contract.ts';

setDefaultTimeout(60_000);
const log = pino({ level: 'silent' });
const viewedSpan = SHORT_SPAN;
let folder: string;
/** A server of its own: saving views takes the views of everybody on the server. */
let server: Server & { url: string; end(): Promise<void> };

beforeAll(async () => {
  folder = await temporaryFolder();
  server = await startOwn(startRedis);
}, START_LIMIT_MS);
afterAll(async () => {
  await server.end();
  await rm(folder, { recursive: true, force: true });
}, START_LIMIT_MS);

const openMemory = (): Promise<Cache> =>
  createMemoryCache({ clock: systemClock, log, snapshotFile: join(folder, 'views.json'), viewedSpan });
const openRedis = (): Promise<Cache> =>
  openCurrentCache({ url: server.url, log, timeoutMs: 5_000, viewedSpan });

/** The contract on one adapter. */
function contractOf(name: string, open: () => Promise<CachePair>): void {
  describe(name, () => {
    let pair: CachePair | undefined;
    beforeAll(async () => {
      pair = await open();
    });
    afterAll(async () => {
      for (const cache of new Set(pair)) await cache.close();
    });
    savedViewsContract(() => {
      if (pair === undefined) throw new Error('the caches are not open');
      return pair;
    });
  });
}

contractOf('memory', async () => {
  const cache = await openMemory();
  return [cache, cache];
});
contractOf('Redis', async () => [await openRedis(), await openRedis()]);

test('memory: after a restart every counter is told of, as nobody knows what was saved', async () => {
  const item = freshItem();
  const before = await openMemory();
  await before.putRecord(liveRecord(item));
  await before.visit(item, true);
  await before.close();
  const after = await openMemory();
  await until(async () =>
    (await after.changedViews(1_000)).some(({ id, views }) => id === item.id && views === 1),
  );
  await after.close();
});

test('Redis: views that wait for a server that is away are told of when it is back, whatever it has lost', async () => {
  const cache = await openRedis();
  const item = freshItem();
  await cache.putRecord(liveRecord(item));
  await cache.visit(item, true);
  await server.kill();
  await until(() =>
    cache.check().then(
      () => false,
      () => true,
    ),
  );
  await expect(cache.changedViews(1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await cache.countViews(item, 4);
  await server.start();
  let views = 0;
  await until(async () => {
    const changed = await cache.changedViews(1_000).catch(() => []);
    views = changed.find(({ id }) => id === item.id)?.views ?? 0;
    return views >= 4;
  });
  await cache.close();
});
