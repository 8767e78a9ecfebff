import type { Query } from '../../../shared/items/sql.ts';
import type { EntryRef } from './entries.ts';

/** A key that was removed from its store. */
export interface RemovedEntry extends EntryRef {
  /** The short code of the store. */
  store: string;
  /** Higher than that of every value the key had. */
  sequence: number;
}

/**
 * Removes a key and records the removal for the cache. The caller holds the rows of the store and of the key. Returns the
 * sequence of the removal.
 */
export async function deleteEntry(
  sql: Query,
  { namespace, id, key, store }: EntryRef & { store: string },
  now: number,
): Promise<number> {
  const [removed] = await sql<Array<{ sequence: number }>>`
    with removed as (
      delete from kv_entries where namespace = ${namespace} and id = ${id} and key = ${key}
      returning namespace, id, key
    )
    insert into kv_removed_entries (namespace, id, store, key, sequence, removed_at)
    select namespace, id, ${store}, key, next_item_version(), ${now} from removed
    returning sequence`;
  if (removed === undefined) throw new Error('a locked key is missing');
  return removed.sequence;
}

/** The sequence of the latest removal of a key; `null`: it was never there, or that is long ago. */
export async function findRemoval(sql: Query, { namespace, id, key }: EntryRef): Promise<number | null> {
  const [removed] = await sql<Array<{ sequence: number }>>`
    select sequence from kv_removed_entries
    where namespace = ${namespace} and id = ${id} and key = ${key} order by sequence desc limit 1`;
  return removed?.sequence ?? null;
}

/** Removals from before a moment, locked. */
export async function takeOldRemovals(sql: Query, before: number, limit: number): Promise<RemovedEntry[]> {
  // Skips what goes with its store right now: two that wait for each other's rows would end in a deadlock.
  return await sql<RemovedEntry[]>`
    select namespace, id, store, key, sequence from kv_removed_entries
    where removed_at < ${before} order by removed_at limit ${limit} for update skip locked`;
}

export async function forgetRemoval(
  sql: Query,
  { namespace, id, key, sequence }: RemovedEntry,
): Promise<void> {
  await sql`
    delete from kv_removed_entries
    where namespace = ${namespace} and id = ${id} and key = ${key} and sequence = ${sequence}`;
}
