import type { Query } from '../../../shared/items/sql.ts';
import type { EntryRef, NewValue, StoreOfEntry, WrittenEntry } from './entries.ts';

/** A new value for a key that may not exist, with the owner that its store must have. */
export interface OwnedValue extends EntryRef, NewValue {
  ownerHash: string;
}

/** The columns of a replaced value that the statement returns. */
export interface ReplacedValue
  extends Pick<WrittenEntry, 'version' | 'sequence' | 'updatedAt'>,
    StoreOfEntry {
  /** Which of the values this is, from 1. */
  place: number;
}

/**
 * Replaces the values of existing keys, all in one statement and one commit. No two may be of one key. Left out are values
 * whose store is not the owner's or not live, whose key does not exist, or whose row another transaction has locked: the
 * statement waits for no lock, and so is part of no deadlock. When it reaches the database after `commitBy`, all are left
 * out.
 *
 * The rows are locked before their sequences are taken: the sequences of a key are in the order of its commits. The question
 * that `next_item_version` asks first (migration 11) is asked once for all of them, as it costs more than a row.
 * @param commitBy ms since the epoch by the database's clock
 */
export async function replaceValues(
  sql: Query,
  values: readonly OwnedValue[],
  { now, commitBy }: { now: number; commitBy: number },
): Promise<ReplacedValue[]> {
  const column = <K extends keyof OwnedValue>(name: K) => values.map((value) => value[name]);
  return await sql<ReplacedValue[]>`
    with numbering as materialized (
      select exists (
        select from watermarks where name = 'database-start' and reached = pg_postmaster_start_time()
      ) as goes_on
    ), target as materialized (
      select fresh.*, items.code as store, items.expires_at
      from unnest(
        ${column('namespace')}::text[], ${column('id')}::text[], ${column('ownerHash')}::text[],
        ${column('key')}::text[], ${column('value')}::text[], ${column('sizeBytes')}::int[]
      ) with ordinality as fresh (namespace, id, owner_hash, key, value, size_bytes, place)
      join items on items.namespace = fresh.namespace and items.id = fresh.id and items.kind = 'kv'
        and items.owner_hash = fresh.owner_hash and items.expires_at > ${now}
      join kv_entries as existing on existing.namespace = fresh.namespace and existing.id = fresh.id
        and existing.key = fresh.key
      where clock_timestamp() < ${commitBy}
      for update of existing skip locked
    )
    update kv_entries as entry
    set value = target.value, size_bytes = target.size_bytes, version = entry.version + 1,
        sequence = case when (select goes_on from numbering) then nextval('item_version') else next_item_version() end,
        updated_at = greatest(entry.updated_at, ${now})
    from target
    where entry.namespace = target.namespace and entry.id = target.id and entry.key = target.key
    returning entry.version, entry.sequence, entry.updated_at, target.store, target.expires_at, target.place`;
}
