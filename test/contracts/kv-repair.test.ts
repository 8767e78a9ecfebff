import { expect, test } from 'bun:test';
import type { KvDependencies } from '../../services/kv/dependencies.ts';
import { readEntry } from '../../services/kv/operations/read-entries.ts';
import { forgetRemovals } from '../../services/kv/sweep/forget.ts';
import { repairEntries } from '../../services/kv/sweep/repair-entries.ts';
import { errors } from '../../shared/errors.ts';
import { CACHED_VALUE_BYTES } from '../../shared/items/entry.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import { REMOVED_RECORD_MS } from '../../shared/items/item-record.ts';
import type { Round } from '../../shared/sweep/sweeper.ts';
import { OWNER, putEntry, putInput, removeEntry, useKvOperations } from './kv-operations.ts';

const kv = useKvOperations();
/** A round that is not satisfied with what another process has done lately. */
const URGENT: Round = { urgent: true, intervalMs: 60_000 };

const cached = async (store: ItemRef, key: string) =>
  (await kv.deps.cache.visitEntry(store, key, false)).entry;

const removals = async (): Promise<number> => {
  const [row] = await kv.deps.sql<Array<{ count: number }>>`select count(*) as count from kv_removed_entries`;
  return row?.count ?? 0;
};

/** The operations with a cache that is away. */
const withoutCache = (): KvDependencies => {
  const away = () => Promise.reject(errors.unavailable('cache'));
  return { ...kv.deps, cache: { ...kv.deps.cache, putEntry: away, forgetEntry: away, putRecord: away } };
};

test('what the cache missed while it was away the repair pass brings', async () => {
  const store = await kv.store();
  for (const key of ['changed', 'grown', 'removed', 'again'])
    await putEntry(kv.deps, putInput(store, key, 'old'));
  await repairEntries(kv.deps, URGENT);

  const deps = withoutCache();
  kv.missed.count = 0;
  const remove = (key: string) => removeEntry(deps, { ...store, ownerHash: OWNER, key, ifMatch: null });
  await putEntry(deps, putInput(store, 'changed', 'new'));
  await putEntry(deps, putInput(store, 'grown', 'x'.repeat(CACHED_VALUE_BYTES)));
  await remove('removed');
  await remove('again');
  await putEntry(deps, putInput(store, 'again', 'new'));
  expect(kv.missed.count).toBe(5);
  expect(await cached(store, 'removed')).toMatchObject({ entry: { value: '"old"' } });
  await expect(repairEntries(deps, URGENT)).rejects.toMatchObject({ code: 'UNAVAILABLE' });

  await repairEntries(kv.deps, URGENT);
  const rows = new Map((await kv.stored(store)).map((row) => [row.key, row]));
  expect(await cached(store, 'changed')).toMatchObject({ entry: { value: '"new"', version: 2 } });
  expect(await cached(store, 'again')).toMatchObject({ entry: { value: '"new"', version: 1 } });
  expect(await cached(store, 'grown')).toMatchObject({ entry: null, sequence: rows.get('grown')?.sequence });
  expect(await cached(store, 'removed')).toMatchObject({ entry: null });
});

test('the repair pass brings more than one batch', async () => {
  const store = await kv.store();
  await kv.deps.sql`
    insert into kv_entries (namespace, id, key, value, size_bytes, updated_at)
    select ${store.namespace}, ${store.id}, 'many-' || n, n::text, 3, ${kv.time.now} from generate_series(1, 250) as n`;
  await repairEntries(kv.deps, URGENT);
  for (const n of [1, 100, 101, 250]) {
    expect(await cached(store, `many-${n}`)).toMatchObject({
      store: store.code,
      entry: { value: String(n) },
    });
  }
});

test('a removal is kept until no late fill can carry the value, and no longer', async () => {
  const store = await kv.store({ ttlDays: 30 });
  const remove = (key: string) => removeEntry(kv.deps, { ...store, ownerHash: OWNER, key, ifMatch: null });
  await putEntry(kv.deps, putInput(store, 'again', 'old'));
  await remove('first');
  await remove('again');
  const { entry } = await putEntry(kv.deps, putInput(store, 'again', 'new'));

  kv.time.now += REMOVED_RECORD_MS - 1;
  await repairEntries(kv.deps, URGENT);
  await forgetRemovals(kv.deps);
  expect(await removals()).toBeGreaterThanOrEqual(2);
  expect(await cached(store, 'first')).toMatchObject({ entry: null });

  kv.time.now += 2;
  await expect(forgetRemovals(withoutCache())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await removals()).toBeGreaterThanOrEqual(2);
  await forgetRemovals(kv.deps);
  expect(await removals()).toBe(0);
  expect(await cached(store, 'first')).toBeNull();
  expect(await cached(store, 'again')).toMatchObject({ sequence: entry.sequence });
});

test('a removal that the cache has not heard of is not forgotten, however old it is', async () => {
  const store = await kv.store({ ttlDays: 30 });
  await repairEntries(kv.deps, URGENT);
  const input = { ...store, ownerHash: OWNER, key: 'first', ifMatch: null };
  await removeEntry(withoutCache(), input);
  kv.time.now += 2 * REMOVED_RECORD_MS;
  await forgetRemovals(kv.deps);
  expect(await removals()).toBe(1);
  await repairEntries(kv.deps, URGENT);
  expect(await cached(store, 'first')).toMatchObject({ entry: null });
  await forgetRemovals(kv.deps);
  expect(await removals()).toBe(0);
});

test('a removal is kept for eleven minutes before the last repair pass, for a cache that goes back by ten', async () => {
  const store = await kv.store({ ttlDays: 30 });
  await removeEntry(kv.deps, { ...store, ownerHash: OWNER, key: 'first', ifMatch: null });
  kv.time.now += 11 * 60_000;
  await repairEntries(kv.deps, URGENT);
  // No pass has run since.
  kv.time.now += 2 * REMOVED_RECORD_MS;
  await forgetRemovals(kv.deps);
  expect(await removals()).toBe(1);
  kv.time.now -= 2 * REMOVED_RECORD_MS - 1;
  await repairEntries(kv.deps, URGENT);
  kv.time.now += 2 * REMOVED_RECORD_MS;
  await forgetRemovals(kv.deps);
  expect(await removals()).toBe(0);
});

test('removals are forgotten a batch at a time, all of them by two processes at once', async () => {
  const store = await kv.store({ ttlDays: 30 });
  await kv.deps.sql`
    insert into kv_removed_entries (namespace, id, store, key, sequence, removed_at)
    select ${store.namespace}, ${store.id}, ${store.code}, 'key-' || n, nextval('item_version'), ${kv.time.now}
    from generate_series(1, 1001) as n`;
  kv.time.now += 2 * REMOVED_RECORD_MS;
  await repairEntries(kv.deps, URGENT);
  const batches = await Promise.all([forgetRemovals(kv.deps), forgetRemovals(kv.deps)]);
  expect(batches).toEqual([
    { done: 500, more: true },
    { done: 500, more: true },
  ]);
  expect(await forgetRemovals(kv.deps)).toEqual({ done: 1, more: false });
});

test('one process repairs at a time; the other tries again', async () => {
  const { sql } = kv.deps;
  await sql.begin(async (tx) => {
    await tx`select 1 from watermarks where name = 'kv-repair' for update`;
    expect(await repairEntries(kv.deps, URGENT)).toEqual({ done: 0, more: false, retry: true });
  });
});

test('a cache that is away costs a read nothing', async () => {
  const { namespace, id, code: store } = await kv.store();
  const { entry } = await readEntry(withoutCache(), { namespace, id, store, key: 'first' });
  expect(entry).toMatchObject({ value: '"one"' });
});
