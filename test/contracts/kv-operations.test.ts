import { expect, test } from 'bun:test';
import { listEntries, readEntry } from '../../services/kv/operations/read-entries.ts';
import { replaceEntries } from '../../services/kv/operations/replace-entries.ts';
import { createKv, listKv } from '../../services/kv/operations/stores.ts';
import { encodeMessage } from '../../shared/contracts/call.ts';
import { CACHED_VALUE_BYTES } from '../../shared/items/entry.ts';
import { type ItemRef, LIMITS } from '../../shared/items/item.ts';
import { removeItem } from '../../shared/items/remove-item.ts';
import { BUS_PAYLOAD_BYTES } from '../../shared/wiring/dependencies.ts';
import { soon } from '../call-context.ts';
import { OWNER, putEntry, putInput, removeEntry, useKvOperations } from './kv-operations.ts';
import { createLose } from './lost-connections.ts';

const kv = useKvOperations();

const cached = async (store: ItemRef, key: string) =>
  (await kv.deps.cache.visitEntry(store, key, false)).entry;

type StoreRef = ItemRef & { code: string };

const read = async ({ namespace, id, code: store }: StoreRef, key: string) =>
  (await readEntry(kv.deps, { namespace, id, store, key })).entry;

const list = async ({ namespace, id, code: store }: StoreRef, valuesUpTo: number) =>
  await listEntries(kv.deps, { namespace, id, store, valuesUpTo });

const remove = ({ namespace, id }: ItemRef, key: string, ifMatch: string[] | null = null) =>
  removeEntry(kv.deps, { namespace, id, ownerHash: OWNER, key, ifMatch });

const removeKv = ({ namespace, id }: ItemRef) =>
  removeItem(kv.deps, { namespace, id, ownerHash: OWNER, kind: 'kv' }, soon());

const tagOf = ({ sequence }: { sequence: number }): string => sequence.toString(36);

test('a create repeated with its idempotency key finds the store, and does not set its key again', async () => {
  const input = kv.createInput();
  const { item } = await createKv(kv.deps, input, soon());
  expect(await cached(item, 'first')).toMatchObject({
    store: item.code,
    entry: { value: '"one"', version: 1 },
  });
  await putEntry(kv.deps, putInput(item, 'first', 'two'));
  const again = await createKv(kv.deps, input, soon());
  expect(again.item).toMatchObject({ id: item.id, code: item.code, content: {} });
  expect(await kv.stored(item)).toMatchObject([{ key: 'first', value: '"two"', version: 2 }]);
  expect(await cached(item, 'first')).toMatchObject({ entry: { value: '"two"' } });
});

test('a put tells a new key from a known one, and counts its values', async () => {
  const store = await kv.store();
  const first = await putEntry(kv.deps, putInput(store, 'first', 'two'));
  expect(first).toMatchObject({
    created: false,
    expiresAt: store.expiresAt,
    entry: { version: 2, sizeBytes: 3 },
  });
  const other = await putEntry(kv.deps, putInput(store, 'other', 'x'));
  expect(other).toMatchObject({ created: true, entry: { key: 'other', version: 1, sizeBytes: 1 } });
  expect(other.entry.sequence).toBeGreaterThan(first.entry.sequence);
});

test('who may not write is told so in the order of checks', async () => {
  const store = await kv.store();
  const { id } = store;
  const put = (changes: object) =>
    putEntry(kv.deps, { ...putInput({ namespace: 'public', id }, 'first', 'x'), ...changes });
  await expect(put({ id: 'nothing', ownerHash: 'other' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const tags = (await kv.stored(store)).map(tagOf);
  for (const ifMatch of [['0'], tags])
    await expect(put({ ownerHash: 'other', ifMatch })).rejects.toMatchObject({ code: 'OWNER_TOKEN_WRONG' });
  await expect(put({ ifMatch: ['0'] })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
});

test('conditions on a key that is there', async () => {
  const store = await kv.store();
  const { entry } = await putEntry(kv.deps, putInput(store, 'first', 'two'));
  const put = (conditions: object) => putEntry(kv.deps, putInput(store, 'first', 'x', conditions));
  await expect(put({ ifAbsent: true })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  await expect(put({ ifMatch: ['nonsense', 'ZZ', '-1', ''] })).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
  });
  expect(await put({ ifMatch: ['nonsense', tagOf(entry)] })).toMatchObject({ created: false });
  await expect(put({ ifMatch: [tagOf(entry)] })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  const { entry: any } = await put({ ifMatch: [] });
  await expect(remove(store, 'first', [tagOf(entry)])).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  await remove(store, 'first', [tagOf(any)]);
  expect(await kv.stored(store)).toEqual([]);
});

test('conditions on a key that is not there', async () => {
  const store = await kv.store();
  const put = (conditions: object) => putEntry(kv.deps, putInput(store, 'new', 'x', conditions));
  await expect(put({ ifMatch: [] })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  await expect(put({ ifMatch: ['1'] })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  await expect(remove(store, 'new', [])).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  await expect(remove(store, 'new')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await put({ ifAbsent: true })).toMatchObject({ created: true });
});

test('a key that was removed and written again never has an old tag', async () => {
  const store = await kv.store();
  const { entry: before } = await putEntry(kv.deps, putInput(store, 'first', 'same'));
  await remove(store, 'first');
  const { entry: after } = await putEntry(kv.deps, putInput(store, 'first', 'same'));
  expect(after.version).toBe(1);
  expect(after.sequence).toBeGreaterThan(before.sequence);
  expect(await cached(store, 'first')).toMatchObject({ sequence: after.sequence, entry: { version: 1 } });
});

test.each([
  ['NOT_FOUND', null],
  ['PRECONDITION_FAILED', []],
])(
  'a removal that is repeated gets %s, and is announced again: who made it may have died before',
  async (code, ifMatch) => {
    const store = await kv.store();
    for (const text of ['two', 'three']) {
      await remove(store, 'first');
      await putEntry(kv.deps, putInput(store, 'first', text));
    }
    const { cache } = kv.deps;
    const dying = { ...kv.deps, cache: { ...cache, putEntry: async () => true } };
    await removeEntry(dying, { ...store, ownerHash: OWNER, key: 'first', ifMatch });
    expect(await cached(store, 'first')).toMatchObject({ entry: { value: '"three"' } });
    const stranger = removeEntry(kv.deps, { ...store, ownerHash: 'other', key: 'first', ifMatch });
    await expect(stranger).rejects.toMatchObject({ code: 'OWNER_TOKEN_WRONG' });
    await expect(remove(store, 'first', ifMatch)).rejects.toMatchObject({ code });
    const [row] = await kv.deps.sql<Array<{ sequence: number }>>`
    select max(sequence) as sequence from kv_removed_entries where id = ${store.id}`;
    expect(await cached(store, 'first')).toMatchObject({ sequence: row?.sequence, entry: null });
    // Made again since: the removal is an older one.
    await putEntry(kv.deps, putInput(store, 'first', 'four'));
    expect(await cached(store, 'first')).toMatchObject({ entry: { value: '"four"' } });
  },
);

test('the cache never has an older value than the database, whatever their sizes', async () => {
  const store = await kv.store();
  const text = (bytes: number) => 'x'.repeat(bytes - 2);
  await putEntry(kv.deps, putInput(store, 'first', text(CACHED_VALUE_BYTES)));
  const small = await cached(store, 'first');
  expect(small?.entry?.value.length).toBe(CACHED_VALUE_BYTES);

  const { entry: large } = await putEntry(kv.deps, putInput(store, 'first', text(CACHED_VALUE_BYTES + 1)));
  const asking = { store: store.code, key: 'first', sequence: large.sequence, entry: null };
  expect(await cached(store, 'first')).toEqual(asking);
  // Neither a read nor a late fill of the small value changes that.
  expect(await read(store, 'first')).toMatchObject({ sequence: large.sequence });
  if (small !== null) await kv.deps.cache.putEntry(store, small, store.expiresAt);
  expect(await cached(store, 'first')).toEqual(asking);

  await remove(store, 'first');
  const removed = await cached(store, 'first');
  expect(removed?.entry).toBeNull();
  expect(removed?.sequence).toBeGreaterThan(large.sequence);
  expect(await read(store, 'first')).toBeNull();
});

test('a value may be written when the database is lost meanwhile, be it put by itself, on a condition or with others', async () => {
  const { sql } = kv.deps;
  await createLose(sql);
  await sql`
    create trigger lose before update on kv_entries for each row when (new.value = '"lost"') execute function lose()`;
  const store = await kv.store();
  const lost = { code: 'UNAVAILABLE', mayBeDone: true };
  for (const ifMatch of [null, (await kv.stored(store)).map(tagOf)])
    await expect(putEntry(kv.deps, putInput(store, 'first', 'lost', { ifMatch }))).rejects.toMatchObject(
      lost,
    );
  const { ifMatch, ifAbsent, ...write } = putInput(store, 'first', 'lost');
  expect(await replaceEntries(kv.deps, { writes: [write] }, soon())).toMatchObject({
    outcomes: [{ failure: lost }],
  });
  await sql`drop function lose cascade`;
});

test('a read fills the cache with what it read', async () => {
  const store = await kv.store();
  const { cache } = kv.deps;
  await putEntry(
    { ...kv.deps, cache: { ...cache, putEntry: async () => true } },
    putInput(store, 'other', 'x'),
  );
  expect(await cached(store, 'other')).toBeNull();
  const entry = await read(store, 'other');
  expect(await cached(store, 'other')).toMatchObject({ store: store.code, entry: { ...entry } });
  expect(await read(store, 'nothing')).toBeNull();
  expect(await read({ namespace: 'public', id: 'nothing', code: store.code }, 'first')).toBeNull();
});

test('a store created again under its address starts anew, for the cache as well', async () => {
  const place = { namespace: 'again', id: 'store' };
  const first = await kv.store(place);
  await putEntry(kv.deps, putInput(first, 'kept', 'old'));
  const old = await cached(first, 'kept');
  await removeKv(first);
  const second = await kv.store(place);
  expect(second.code).not.toBe(first.code);
  expect((await kv.stored(second)).map(({ key }) => key)).toEqual(['first']);
  if (old !== null) await kv.deps.cache.putEntry(first, old, first.expiresAt);
  expect(await cached(second, 'kept')).toBeNull();
  expect(await read(second, 'kept')).toBeNull();
  // Read access to the first store gives none to the second.
  expect(await read(first, 'first')).toBeNull();
  await expect(list(first, 0)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('an expired store can be neither read nor written, and its address is free', async () => {
  const place = { namespace: 'expired', id: 'store' };
  const store = await kv.store(place);
  const { now } = kv.time;
  kv.time.now = store.expiresAt;
  expect(await read(store, 'first')).toBeNull();
  await expect(putEntry(kv.deps, putInput(store, 'first', 'x'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(list(store, 0)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await kv.store(place)).code).not.toBe(store.code);
  await removeKv(place);
  kv.time.now = now;
});

test('a list of keys is in the order of their bytes, with the values that are short', async () => {
  const store = await kv.store();
  for (const [key, text] of [
    ['ä', 'x'],
    ['B', 'x'.repeat(100)],
    ['a b', ''],
  ] as const) {
    await putEntry(kv.deps, putInput(store, key, text));
  }
  const { entries } = await list(store, 5);
  expect(entries.map(({ key, value, sizeBytes }) => [key, value, sizeBytes])).toEqual([
    ['B', null, 100],
    ['a b', '""', 0],
    ['first', '"one"', 3],
    ['ä', '"x"', 1],
  ]);
  expect((await list(store, 0)).entries.every(({ value }) => value === null)).toBe(true);
});

test('a list of as many keys and values as there can be fits into a message', async () => {
  const store = await kv.store();
  // Of all JSON texts this grows most: in a message each of its bytes takes two.
  const quotes = JSON.stringify('"'.repeat(1_490));
  await kv.deps.sql`
    insert into kv_entries (namespace, id, key, value, size_bytes, updated_at)
    select ${store.namespace}, ${store.id}, repeat('😀', 252) || lpad(n::text, 4, '0'), ${quotes}, 1490, ${kv.time.now}
    from generate_series(1, ${LIMITS.kvKeys - 1}::int) as n`;
  const value = await list(store, 4_096);
  expect(value.entries.filter((entry) => entry.value !== null).length).toBe(LIMITS.kvKeys);
  expect(encodeMessage({ ok: true, value }).length).toBeLessThan(BUS_PAYLOAD_BYTES);
});

test('stores are listed with what they hold', async () => {
  const ownerHash = 'lister';
  const empty = await kv.store({ ownerHash });
  kv.time.now += 1_000;
  const full = await kv.store({ ownerHash });
  await removeEntry(kv.deps, { ...empty, ownerHash, key: 'first', ifMatch: null });
  kv.time.now += 1_000;
  await putEntry(kv.deps, putInput(full, 'second', 'äöü', { ownerHash }));
  const page = { namespace: 'public', ownerHash, after: null, offset: 0, limit: 10 };
  const { items, total } = await listKv(kv.deps, page);
  expect(total).toBe(2);
  expect(items).toMatchObject([
    { id: full.id, keyCount: 2, sizeBytes: 9, updatedAt: kv.time.now },
    { id: empty.id, keyCount: 0, sizeBytes: 0, updatedAt: kv.time.now - 2_000 },
  ]);
  expect(await listKv(kv.deps, { ...page, ownerHash: 'nobody' })).toEqual({ items: [], total: 0 });
});
