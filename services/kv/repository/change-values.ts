import { CACHED_VALUE_BYTES } from '../../../shared/items/entry.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { SHORT_VALUE_BYTES, type ValueBefore, type ValueText } from '../value-change.ts';
import type { EntryRef, StoreOfEntry } from './entries.ts';

/** A key to change, with the owner that its store must have. */
export interface OwnedKey extends EntryRef {
  ownerHash: string;
}

/** A key whose row is locked until the transaction ends. */
export interface LockedValue extends ValueBefore, StoreOfEntry {
  /** Which of the keys this is, from 1. */
  place: number;
  version: number;
  sequence: number;
  updatedAt: number;
}

/**
 * Locks the rows of keys in live stores of their owners. Missing keys are left out.
 * @param waits whether to wait for a row that another transaction holds; otherwise that is left out, too. Only for one key:
 * two that wait for each other's rows would end in a deadlock.
 */
export async function lockValues(
  sql: Query,
  keys: readonly OwnedKey[],
  { now, waits }: { now: number; waits: boolean },
): Promise<LockedValue[]> {
  const column = <K extends keyof OwnedKey>(name: K) => keys.map((key) => key[name]);
  return await sql<LockedValue[]>`
    select target.place::int, entry.size_bytes, entry.version, entry.sequence, entry.updated_at, items.code as store,
      items.expires_at,
      case when entry.size_bytes <= ${SHORT_VALUE_BYTES} then entry.value else left(entry.value, 1) end as head
    from unnest(
        ${column('namespace')}::text[], ${column('id')}::text[], ${column('ownerHash')}::text[],
        ${column('key')}::text[]
      ) with ordinality as target (namespace, id, owner_hash, key, place)
      join items on items.namespace = target.namespace and items.id = target.id and items.kind = 'kv'
        and items.owner_hash = target.owner_hash and items.expires_at > ${now}
      join kv_entries as entry on entry.namespace = target.namespace and entry.id = target.id
        and entry.key = target.key
    for update of entry ${waits ? sql`` : sql`skip locked`}`;
}

/** Makes a key that is about to get its first value. The caller holds the store's row. */
export async function makeEmptyKey(sql: Query, { namespace, id, key }: EntryRef, now: number): Promise<void> {
  await sql`
    insert into kv_entries (namespace, id, key, value, size_bytes, version, updated_at)
    values (${namespace}, ${id}, ${key}, 'null', 4, 0, ${now})`;
}

/** A locked key with what its changes have made of it. */
export interface NextValue extends EntryRef {
  text: ValueText;
  sizeBytes: number;
  /** How many changes that were: each takes a version and a sequence. */
  changes: number;
}

export interface WrittenValue {
  place: number;
  /** Version of the last change; those before it have the numbers below. */
  version: number;
  sequence: number;
  updatedAt: number;
  /** JSON text; `null` when it is larger than the cache keeps. */
  value: string | null;
}

/** Writes the values of locked keys. No two may be of one key. */
export async function writeChangedValues(
  sql: Query,
  values: readonly NextValue[],
  now: number,
): Promise<WrittenValue[]> {
  const column = <K extends keyof NextValue>(name: K) => values.map((value) => value[name]);
  const texts = values.map(({ text }) => text);
  const whole = texts.map((text) => ('whole' in text ? text.whole : null));
  const tail = texts.map((text) => ('tail' in text ? text.tail : null));
  return await sql<WrittenValue[]>`
    update kv_entries as entry
    set value = coalesce(target.whole, left(entry.value, -1) || target.tail), size_bytes = target.size_bytes,
        version = entry.version + target.changes, updated_at = greatest(entry.updated_at, ${now}),
        sequence = (select max(next_item_version()) from generate_series(1, target.changes))
    from unnest(
        ${column('namespace')}::text[], ${column('id')}::text[], ${column('key')}::text[], ${whole}::text[],
        ${tail}::text[], ${column('sizeBytes')}::int[], ${column('changes')}::int[]
      ) with ordinality as target (namespace, id, key, whole, tail, size_bytes, changes, place)
    where entry.namespace = target.namespace and entry.id = target.id and entry.key = target.key
    returning target.place::int, entry.version, entry.sequence, entry.updated_at,
      case when octet_length(entry.value) <= ${CACHED_VALUE_BYTES}::int then entry.value end as value`;
}
