import { CACHED_VALUE_BYTES, type Entry } from '../../../shared/items/entry.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { EntryRef, StoreOfEntry } from './entries.ts';
import type { RemovedEntry } from './removed-entries.ts';

/** A value that was written. */
export interface ChangedEntry extends ItemRef, StoreOfEntry, Omit<Entry, 'value'> {
  /** `null` when the cache does not keep a value of that size. */
  value: string | null;
}

/** Values of live stores written after a moment, in the order of their addresses, after a given one. */
export async function findEntriesChangedSince(
  sql: Query,
  since: number,
  after: EntryRef,
  { now, limit }: { now: number; limit: number },
): Promise<ChangedEntry[]> {
  return await sql<ChangedEntry[]>`
    select entry.namespace, entry.id, entry.key, entry.size_bytes, entry.version, entry.sequence, entry.updated_at,
      case when octet_length(entry.value) <= ${CACHED_VALUE_BYTES}::int then entry.value end as value,
      items.code as store, items.expires_at
    from kv_entries as entry join items on items.namespace = entry.namespace and items.id = entry.id
    where entry.updated_at > ${since} and items.expires_at > ${now}
      and (entry.namespace, entry.id, entry.key) > (${after.namespace}, ${after.id}, ${after.key})
    order by entry.namespace, entry.id, entry.key limit ${limit}`;
}

/** The latest removal of each key removed after a moment, in the order of their addresses, after a given one. */
export async function findEntriesRemovedSince(
  sql: Query,
  since: number,
  after: EntryRef,
  { now, limit }: { now: number; limit: number },
): Promise<Array<RemovedEntry & StoreOfEntry>> {
  return await sql<Array<RemovedEntry & StoreOfEntry>>`
    select distinct on (removed.namespace, removed.id, removed.key)
      removed.namespace, removed.id, removed.key, removed.store, removed.sequence, items.expires_at
    from kv_removed_entries as removed
      join items on items.namespace = removed.namespace and items.id = removed.id
    where removed.removed_at > ${since} and items.expires_at > ${now}
      and (removed.namespace, removed.id, removed.key) > (${after.namespace}, ${after.id}, ${after.key})
    order by removed.namespace, removed.id, removed.key, removed.sequence desc limit ${limit}`;
}
