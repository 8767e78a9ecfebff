import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { Redis } from 'ioredis';
import pino from 'pino';
import { startRedis } from '../../../infra/servers/redis.ts';
import type { Server } from '../../../infra/servers/server.ts';
import { recentKey } from '../../../shared/adapters/cache/redis-records.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { Cache, ChangedViews, WindowRule } from '../../../shared/ports/cache.ts';
import { START_LIMIT_MS, startOwn } from '../../servers.ts';
import {
  cachedEntry,
  freshItem,
  kvRecord,
  liveRecord,
  openCurrentCache,
  removedRecord,
  until,
} from './fixtures.ts';

setDefaultTimeout(60_000);

const RULE: WindowRule = { name: 'full', limit: 5, seconds: 60 };
const later = (): number => Date.now() + 60_000;

let server: Server & { url: string; end(): Promise<void> };
let redis: Redis;
let cache: Cache;
const lines: string[] = [];

beforeAll(async () => {
  server = await startOwn(startRedis);
  redis = new Redis(server.url);
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  cache = await openCurrentCache({
    url: server.url,
    log,
    timeoutMs: 5_000,
    viewedSpan: { spanMs: 1, graceMs: 0 },
  });
}, START_LIMIT_MS);
afterEach(() => makeRoom());
afterAll(async () => {
  redis?.disconnect();
  await cache?.close();
  await server?.end();
}, START_LIMIT_MS);

/** Commands that take memory are refused from now on; nothing is evicted (`infra/redis.conf`). */
const fill = () => redis.config('SET', 'maxmemory', '1');
const makeRoom = () => redis.config('SET', 'maxmemory', '0');

test('a record it knows is replaced by a newer one, not by an older one; one it does not know stays out', async () => {
  const [known, unknown] = [freshItem(), freshItem()];
  await cache.putRecord(liveRecord(known, { version: 5 }));
  await fill();
  expect(
    await cache.putRecord(
      liveRecord(known, { version: 7, title: 'a title that is longer than the last one' }),
    ),
  ).toBe(true);
  expect(await cache.putRecord(liveRecord(known, { version: 6 }))).toBe(false);
  expect((await cache.visit(known, false)).record).toMatchObject({ version: 7 });
  expect(await cache.putRecord(removedRecord(known, 8))).toBe(true);
  expect((await cache.visit(known, false)).record).toMatchObject({ state: 'removed' });
  expect(await cache.putRecord(liveRecord(unknown))).toBe(false);
  expect(await cache.visit(unknown, true)).toEqual({ record: null, views: 0 });
  await makeRoom();
  expect(await cache.putRecord(liveRecord(unknown))).toBe(true);
  expect((await cache.visit(known, false)).record).toMatchObject({ version: 8 });
});

test('a value is replaced by one that is no larger, else forgotten; an older one never comes back', async () => {
  const item = freshItem();
  await cache.putRecord(kvRecord(item));
  const put = (sequence: number, value: string) =>
    cache.putEntry(item, cachedEntry('key', sequence, value), later());
  const known = async () => (await cache.visitEntry(item, 'key', false)).entry;
  await put(10, 'x'.repeat(100));
  await fill();
  expect(await put(11, 'y'.repeat(100))).toBe(true);
  expect(await known()).toEqual(cachedEntry('key', 11, 'y'.repeat(100)));
  expect(await put(12, 'z'.repeat(101))).toBe(false);
  expect(await known()).toMatchObject({ sequence: 12, entry: null });
  expect(await put(11, 'y')).toBe(false);
  expect(await known()).toMatchObject({ sequence: 12, entry: null });
  expect(await cache.putEntry(item, cachedEntry('new', 13), later())).toBe(false);
  expect((await cache.visitEntry(item, 'new', false)).entry).toBeNull();
  await makeRoom();
  expect(await put(12, 'z'.repeat(101))).toBe(true);
  expect(await known()).toMatchObject({ sequence: 12, entry: { value: 'z'.repeat(101) } });
});

test('values of one turn: those it knows are replaced, new ones stay out', async () => {
  const item = freshItem();
  await cache.putRecord(kvRecord(item));
  const put = (key: string, sequence: number) => cache.putEntry(item, cachedEntry(key, sequence), later());
  await Promise.all([put('a', 10), put('b', 10)]);
  await fill();
  expect(await Promise.all([put('new', 11), put('a', 11), put('newer', 11), put('b', 11)])).toEqual([
    false,
    true,
    false,
    true,
  ]);
  for (const key of ['a', 'b'])
    expect((await cache.visitEntry(item, key, false)).entry).toMatchObject({ sequence: 11 });
  for (const key of ['new', 'newer']) expect((await cache.visitEntry(item, key, false)).entry).toBeNull();
});

test('reads go on; their views wait, each with a number of its own, and are counted when there is room', async () => {
  const item = freshItem();
  await cache.putRecord(liveRecord(item));
  await cache.visit(item, true);
  await fill();
  const visits = await Promise.all(Array.from({ length: 3 }, () => cache.visit(item, true)));
  expect(visits.map(({ views }) => views)).toEqual([2, 3, 4]);
  expect((await cache.visitEntry(item, 'key', true)).views).toBe(5);
  expect((await cache.visit(item, true)).record).toMatchObject({ version: 1 });
  expect(await cache.viewsOf([item])).toEqual([6]);
  expect(Number(await redis.get(`views:{${item.namespace}/${item.id}}`))).toBe(1);
  await makeRoom();
  await changedTo(item, 6);
  expect((await cache.visit(item, true)).views).toBe(7);
});

/** The changed views, once an item with this many is reported: a view is reported some moments after it was counted. */
async function changedTo(item: ItemRef, views: number): Promise<ChangedViews[]> {
  let changed: ChangedViews[] = [];
  await until(async () => {
    changed = await cache.changedViews(1_000);
    return changed.some((one) => one.id === item.id && one.views === views);
  });
  return changed;
}

test('what is saved is forgotten, also of items viewed again', async () => {
  const item = freshItem();
  await cache.putRecord(liveRecord(item));
  await cache.visit(item, true);
  const changed = await changedTo(item, 1);
  await Bun.sleep(5);
  await cache.visit(item, true);
  await fill();
  await cache.viewsSaved(changed);
  await cache.viewsSaved(await changedTo(item, 2));
  expect((await cache.changedViews(1_000)).some(({ id }) => id === item.id)).toBe(false);
});

test('windows are counted by each gateway; nobody gets more hits by it, and they can be given back', async () => {
  await cache.hit(RULE, 'known');
  await fill();
  expect((await cache.hit(RULE, 'new')).hits).toBe(1);
  expect((await cache.hit(RULE, 'new')).hits).toBe(2);
  expect((await cache.peek(RULE, 'new')).hits).toBe(2);
  await cache.giveBack(RULE, 'new');
  expect((await cache.peek(RULE, 'new')).hits).toBe(1);
  expect((await cache.peek(RULE, 'known')).hits).toBe(1);
  await makeRoom();
  await cache.giveBack(RULE, 'known');
  expect((await cache.peek(RULE, 'known')).hits).toBe(0);
});

test('visits and hits of one turn are all told that there is no room', async () => {
  const item = freshItem();
  await cache.putRecord(liveRecord(item));
  await cache.hit(RULE, 'together');
  await fill();
  const round = () =>
    Promise.all([cache.visit(item, true), cache.hit(RULE, 'together'), cache.visitEntry(item, 'key', true)]);
  expect(await round()).toMatchObject([{ views: 1 }, { hits: 1 }, { views: 2 }]);
  expect(await round()).toMatchObject([{ views: 3 }, { hits: 2 }, { views: 4 }]);
  await makeRoom();
  expect((await cache.peek(RULE, 'together')).hits).toBe(2);
});

test('a repair pass sets its mark, and items put long before it are no longer remembered', async () => {
  const { run } = await cache.stateOf('items');
  await cache.putRecord(liveRecord(freshItem()));
  await until(async () => (await redis.zcard(recentKey('items'))) > 0);
  await fill();
  const mark = { toldUntil: Date.now() + 3_600_000, databaseStart: 'full' };
  expect(await cache.setCurrent('items', mark, run)).toBe(true);
  expect(await cache.stateOf('items')).toMatchObject({ mark, isCurrent: true });
  expect(await redis.zcard(recentKey('items'))).toBe(0);
  // Nothing is left to remove.
  expect(await cache.setCurrent('items', { ...mark, toldUntil: mark.toldUntil + 1 }, run)).toBe(true);
});

test('the log says so, now and then', () => {
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the cache is full');
});
