import type { Entry } from '../../../shared/items/entry.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { OwnedItemRef } from '../../../shared/items/owned-item.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** A value's row without the value. */
export type WrittenEntry = Omit<Entry, 'value'>;

/** The address of a key. */
export interface EntryRef extends ItemRef {
  key: string;
}

/** A value on its way in. */
export interface NewValue {
  key: string;
  /** JSON text. */
  value: string;
  sizeBytes: number;
}

/** The store that an entry belongs to, as the cache must know it. */
export interface StoreOfEntry {
  /** The store's short code. */
  store: string;
  expiresAt: number;
}

/**
 * Replaces the value of a key in one statement, when the owner's live store has the key, and its sequence is one of
 * `sequences`. `null`: it did not, the condition does not hold, or it is too late (`commitBy`, by the database's clock).
 *
 * The second of two that replace the same value waits for the row and then has all of this evaluated again, the
 * condition and the sequence included: so the sequences of a key are in the order of its commits.
 */
export async function replaceValue(
  sql: Query,
  { namespace, id, ownerHash }: OwnedItemRef<'kv'>,
  { key, value, sizeBytes }: NewValue,
  sequences: number[],
  { now, commitBy }: { now: number; commitBy: number },
): Promise<(WrittenEntry & StoreOfEntry) | null> {
  const [replaced] = await sql<Array<WrittenEntry & StoreOfEntry>>`
    update kv_entries as entry
    set value = ${value}, size_bytes = ${sizeBytes}, version = entry.version + 1,
        sequence = next_item_version(), updated_at = greatest(entry.updated_at, ${now})
    from items
    where entry.namespace = ${namespace} and entry.id = ${id} and entry.key = ${key}
      and items.namespace = entry.namespace and items.id = entry.id
      and items.kind = 'kv' and items.owner_hash = ${ownerHash} and items.expires_at > ${now}
      and entry.sequence = any(${sequences}::int8[]) and clock_timestamp() < ${commitBy}
    returning entry.key, entry.size_bytes, entry.version, entry.sequence, entry.updated_at,
      items.code as store, items.expires_at`;
  return replaced ?? null;
}

/** The sequence of a key's value, locked until the transaction ends; `null` when the key is not there. */
export async function lockEntry(sql: Query, { namespace, id, key }: EntryRef): Promise<number | null> {
  const [found] = await sql<Array<{ sequence: number }>>`
    select sequence from kv_entries
    where namespace = ${namespace} and id = ${id} and key = ${key} for update`;
  return found?.sequence ?? null;
}

/** Inserts a key or replaces its value. The caller holds the store's row. */
export async function writeValue(
  sql: Query,
  { namespace, id }: ItemRef,
  { key, value, sizeBytes }: NewValue,
  now: number,
): Promise<WrittenEntry> {
  const [written] = await sql<WrittenEntry[]>`
    insert into kv_entries as entry (namespace, id, key, value, size_bytes, updated_at)
    values (${namespace}, ${id}, ${key}, ${value}, ${sizeBytes}, ${now})
    on conflict (namespace, id, key) do update
    set value = excluded.value, size_bytes = excluded.size_bytes, version = entry.version + 1,
        sequence = next_item_version(), updated_at = greatest(entry.updated_at, excluded.updated_at)
    returning key, size_bytes, version, sequence, updated_at`;
  if (written === undefined) throw new Error('a write of a key returned no row');
  return written;
}

/** How many keys a store has; exact while the caller holds the store's row. */
export async function countEntries(sql: Query, { namespace, id }: ItemRef): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from kv_entries where namespace = ${namespace} and id = ${id}`;
  return found?.count ?? 0;
}

/** The value of a key of one live store: another may have its address by now. */
export async function findEntry(
  sql: Query,
  { namespace, id, key, store }: EntryRef & { store: string },
  now: number,
): Promise<(Entry & StoreOfEntry) | null> {
  const [found] = await sql<Array<Entry & StoreOfEntry>>`
    select entry.key, entry.value, entry.size_bytes, entry.version, entry.sequence, entry.updated_at,
      items.code as store, items.expires_at
    from kv_entries as entry join items on items.namespace = entry.namespace and items.id = entry.id
    where entry.namespace = ${namespace} and entry.id = ${id} and entry.key = ${key}
      and items.code = ${store} and items.expires_at > ${now}`;
  return found ?? null;
}
