import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  setSystemTime,
  test,
} from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from '../../../infra/servers/redis.ts';
import type { Server } from '../../../infra/servers/server.ts';
import { snapshotViews } from '../../../services/analytics/sweep/snapshot-views.ts';
import { createMemoryCache } from '../../../shared/adapters/cache/memory.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import { findItem, toItemRecord } from '../../../shared/items/item-repository.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import { START_LIMIT_MS, startOwn, temporaryFolder } from '../../servers.ts';
import { useKvOperations } from '../kv-operations.ts';
import { clearTotals, insertRow, totalsOf } from '../totals.ts';
import { openCurrentCache } from './fixtures.ts';

setDefaultTimeout(60_000);
const SPAN = { spanMs: 1_000, graceMs: 500 };
const { deps: kv, time } = useKvOperations();
let folder: string;
let cache: Cache;

beforeAll(async () => {
  folder = await temporaryFolder();
});
beforeEach(async () => {
  time.now = Date.now();
  await clearTotals(kv.sql);
  const snapshotFile = join(folder, `${crypto.randomUUID()}.json`);
  cache = await createMemoryCache({ clock: kv.clock, log: kv.log, snapshotFile, viewedSpan: SPAN });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const deps = () => ({ sql: kv.sql, clock: kv.clock, cache });
/** One pass after the span of all that was viewed so far. */
async function pass(): Promise<Batch> {
  time.now += SPAN.spanMs + SPAN.graceMs;
  return await snapshotViews(deps());
}
const tellRecord = async (item: ItemRef): Promise<void> => {
  const found = await findItem(kv.sql, item);
  if (found === null) throw new Error('no such item');
  await cache.putRecord(toItemRecord(found));
};
const savedViews = async (item: ItemRef): Promise<number | undefined> =>
  (await findItem(kv.sql, item))?.views;
async function viewedItem(views: number) {
  const item = await insertRow(kv.sql);
  await tellRecord(item);
  await cache.countViews(item, views);
  return item;
}

test('saves what has changed, once its span is over, and nothing else', async () => {
  const item = await viewedItem(3);
  const version = (await findItem(kv.sql, item))?.version;
  expect(await snapshotViews(deps())).toEqual({ done: 0, more: false });
  expect(await pass()).toEqual({ done: 1, more: false });
  expect(await savedViews(item)).toBe(3);
  expect(await pass()).toEqual({ done: 0, more: false });
  await cache.visit(item, true);
  await pass();
  expect(await findItem(kv.sql, item)).toMatchObject({ views: 4, version });
  expect((await totalsOf(kv.sql, 'html')).views).toBe(4);
});

test('a saved number is never lowered', async () => {
  const item = await viewedItem(2);
  await kv.sql`update items set views = 50 where id = ${item.id}`;
  await pass();
  expect(await savedViews(item)).toBe(50);
});

test('a crash after the commit saves once more, which counts nothing twice', async () => {
  const item = await viewedItem(5);
  const dying: Cache = { ...cache, viewsSaved: () => Promise.reject(new Error('killed')) };
  time.now += 2_000;
  await expect(snapshotViews({ ...deps(), cache: dying })).rejects.toThrow('killed');
  expect(await savedViews(item)).toBe(5);
  expect((await pass()).done).toBe(1);
  expect((await pass()).done).toBe(0);
  expect((await totalsOf(kv.sql, 'html')).views).toBe(5);
});

test('a database that is away loses nothing', async () => {
  const item = await viewedItem(5);
  const away = new Proxy(kv.sql, { apply: () => Promise.reject(new Error('away')) });
  time.now += 2_000;
  await expect(snapshotViews({ ...deps(), sql: away })).rejects.toThrow('away');
  await pass();
  expect(await savedViews(item)).toBe(5);
});

test('several processes at once save each view once', async () => {
  const items = await Promise.all(Array.from({ length: 40 }, (_, index) => viewedItem(index + 1)));
  time.now += 2_000;
  await Promise.all([1, 2, 3].map(() => snapshotViews(deps())));
  for (const [index, item] of items.entries()) expect(await savedViews(item)).toBe(index + 1);
  expect((await totalsOf(kv.sql, 'html')).views).toBe((40 * 41) / 2);
});

for (const [count, more] of [
  [499, false],
  [500, true],
  [501, true],
] as const) {
  test(`${count} items: a batch has 500`, async () => {
    await insertRows(count);
    const record = toItemRecord(await anItem());
    for (let n = 1; n <= count; n++) {
      const item = { namespace: 'public', id: `item-${n}` };
      await cache.putRecord({ ...record, ...item, code: `code${n}` });
      await cache.countViews(item, 2);
    }
    expect(await pass()).toEqual({ done: Math.min(count, 500), more });
    await pass();
    expect((await totalsOf(kv.sql, 'html')).views).toBe(2 * count);
  });
}

test('views of an item that is gone, or of another under its address, are not saved', async () => {
  const [gone, replaced] = [await viewedItem(7), await viewedItem(8)];
  await kv.sql`delete from items where id = ${gone.id}`;
  await kv.sql`update items set code = 'another' where id = ${replaced.id}`;
  expect((await pass()).more).toBe(false);
  expect(await savedViews(replaced)).toBe(0);
  expect((await pass()).done).toBe(0);
});

test('views counted while nobody knew the record are added to those saved before', async () => {
  const [item, gone] = [await insertRow(kv.sql), await insertRow(kv.sql)];
  await kv.sql`update items set views = 100 where id = ${item.id}`;
  for (const one of [item, gone]) await cache.countViews(one, 4);
  await kv.sql`delete from items where id = ${gone.id}`;
  expect(await pass()).toEqual({ done: 0, more: true });
  expect(await pass()).toEqual({ done: 1, more: false });
  expect(await savedViews(item)).toBe(104);
  expect((await cache.visit(item, true)).views).toBe(105);
});

test('an expired item is not told again', async () => {
  const item = await insertRow(kv.sql);
  await kv.sql`update items set expires_at = ${time.now} where id = ${item.id}`;
  await cache.countViews(item, 4);
  expect(await pass()).toEqual({ done: 0, more: false });
  expect((await cache.visit(item, false)).record).toBeNull();
});

describe('on Redis', () => {
  let server: Server & { url: string; end(): Promise<void> };
  let admin: Redis;

  beforeAll(async () => {
    server = await startOwn(startRedis);
    admin = new Redis(server.url);
  }, START_LIMIT_MS);
  beforeEach(async () => {
    await admin.flushall();
    const viewedSpan = { spanMs: 1, graceMs: 0 };
    cache = await openCurrentCache({ url: server.url, log: kv.log, timeoutMs: 5_000, viewedSpan });
  });
  afterEach(async () => {
    setSystemTime();
    await makeRoom();
    await cache.close();
  });
  afterAll(async () => {
    admin?.disconnect();
    await server?.end();
  }, START_LIMIT_MS);

  const fill = () => admin.config('SET', 'maxmemory', '1');
  const makeRoom = () => admin.config('SET', 'maxmemory', '0');
  /** One pass after the span of all that was viewed so far. */
  async function passAfter(ms: number): Promise<Batch> {
    setSystemTime(Date.now() + ms);
    return await snapshotViews(deps());
  }

  test('items whose record it does not take, as it is full, keep no others from being saved, and are saved when it does', async () => {
    await insertRows(600);
    for (let n = 1; n <= 600; n++) await cache.countViews({ namespace: 'public', id: `item-${n}` }, 2);
    await Bun.sleep(5);
    const others = [await viewedItem(3), await viewedItem(4)];
    await fill();
    expect(await passAfter(5)).toEqual({ done: 0, more: false });
    expect(await passAfter(5)).toEqual({ done: 2, more: false });
    for (const [index, item] of others.entries()) expect(await savedViews(item)).toBe(index + 3);
    expect(await passAfter(5)).toEqual({ done: 0, more: false });
    expect((await totalsOf(kv.sql, 'html')).views).toBe(7);
    await makeRoom();
    let batch: Batch = await passAfter(60_000);
    for (let passes = 0; batch.more && passes < 10; passes++) batch = await passAfter(5);
    expect(batch.more).toBe(false);
    expect((await totalsOf(kv.sql, 'html')).views).toBe(7 + 2 * 600);
  });

  test('an item that has ended by its clock is told once', async () => {
    const item = await insertRow(kv.sql);
    await cache.countViews(item, 4);
    time.now = Date.now() - 86_400_000;
    await kv.sql`update items set expires_at = ${Date.now() - 1_000} where id = ${item.id}`;
    expect(await passAfter(5)).toEqual({ done: 0, more: true });
    expect(await passAfter(5)).toEqual({ done: 0, more: false });
  });
});

/** Items `item-1` and so on, with the codes `code1` and so on. */
async function insertRows(count: number): Promise<void> {
  await kv.sql`
    insert into items
      (namespace, id, kind, code, owner_hash, title, ttl_days, size_bytes, content, created_at, updated_at, expires_at)
    select 'public', 'item-' || n, 'html', 'code' || n, 'owner', '', 1, 1, '{}', now(), now(), now() + interval '1 day'
    from generate_series(1, ${count}::int) as n`;
}

/** Any item of the table, for its fields. */
async function anItem() {
  const [found] = await kv.sql<Array<ItemRef>>`select namespace, id from items limit 1`;
  const item = found === undefined ? null : await findItem(kv.sql, found);
  if (item === null) throw new Error('no item');
  return item;
}
