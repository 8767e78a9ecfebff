import type { Clock } from '../clock.ts';
import { type ItemRef, PUBLIC_NAMESPACE } from './item.ts';
import { REMOVED_RECORD_MS, type RemovedItemRecord } from './item-record.ts';
import type { Query } from './sql.ts';

/** The record of an item that was removed or has expired. */
export interface Tombstone extends ItemRef {
  version: number;
}

/** Values deleted by one statement: 200 MB at most. */
const SLICE = 200;

/**
 * Removes items with all that hangs on them, and leaves tombstones, which it returns in any order. The caller locks the
 * items' rows, and discards their blobs. The time of removal is read once their values are gone, which may take long: the repair pass
 * (`COMMIT_LAG_MS`) looks for removals that are committed soon after it.
 */
export async function buryItems(sql: Query, items: ItemRef[], clock: Clock): Promise<Tombstone[]> {
  const namespaces = items.map((item) => item.namespace);
  const ids = items.map((item) => item.id);
  // A store can hold a gigabyte: left to the cascade it would not be gone before the statement's time is over. Mostly one
  // slice is all; else store by store, as each slice reads again what earlier ones have deleted.
  if ((await buryValues(sql, items)) === SLICE) {
    for (const item of items) while ((await buryValues(sql, [item])) === SLICE);
  }
  const now = clock.now();
  return await sql<Tombstone[]>`
    with removed as (
      delete from items using unnest(${namespaces}::text[], ${ids}::text[]) as due (namespace, id)
      where items.namespace = due.namespace and items.id = due.id
      returning items.namespace, items.id, items.code, items.label
    ), retired as (
      -- A label is never given again. Outside of the public namespace nothing tells what had it.
      update item_labels set
        retired_at = ${now},
        namespace = case when removed.namespace = ${PUBLIC_NAMESPACE} then removed.namespace end,
        id = case when removed.namespace = ${PUBLIC_NAMESPACE} then removed.id end
      from removed where item_labels.label = removed.label
    )
    insert into tombstones (code, namespace, id, version, removed_at)
    select code, namespace, id, next_item_version(), ${now} from removed
    on conflict (code) do update
    set namespace = excluded.namespace, id = excluded.id, version = excluded.version, removed_at = excluded.removed_at
    returning namespace, id, version`;
}

/**
 * Deletes a slice of the values of stores. Returns how many it found: one that is replaced meanwhile stays, and must not make
 * the slice look like the last.
 */
async function buryValues(sql: Query, items: ItemRef[]): Promise<number> {
  const [slice] = await sql<Array<{ found: number }>>`
    with slice as materialized (
      select kv_entries.ctid
      from unnest(${items.map(({ namespace }) => namespace)}::text[], ${items.map(({ id }) => id)}::text[]) as due (namespace, id)
      join kv_entries on kv_entries.namespace = due.namespace and kv_entries.id = due.id limit ${SLICE}
    ), buried as (
      delete from kv_entries where ctid = any(array(select ctid from slice))
    )
    select count(*) as found from slice`;
  return slice?.found ?? 0;
}

export async function findTombstone(sql: Query, { namespace, id }: ItemRef): Promise<Tombstone | null> {
  const [found] = await sql<Tombstone[]>`
    select namespace, id, version from tombstones
    where namespace = ${namespace} and id = ${id} order by version desc limit 1`;
  return found ?? null;
}

/** Removals after a moment, in the order of their addresses, after a given one. */
export async function findTombstonesSince(
  sql: Query,
  since: number,
  after: ItemRef,
  limit: number,
): Promise<Tombstone[]> {
  return await sql<Tombstone[]>`
    select distinct on (namespace, id) namespace, id, version from tombstones
    where removed_at > ${since} and (namespace, id) > (${after.namespace}, ${after.id})
    order by namespace, id, version desc limit ${limit}`;
}

/** Outside the public namespace nothing may tell that an item was there (specification 2.6). */
export async function forgetTombstones(sql: Query, before: number): Promise<void> {
  // The namespace stands in the text, as in the index: among a million public tombstones these are found at once.
  await sql`delete from tombstones where removed_at < ${before} and namespace <> 'public'`;
}

/** The cache record of a removal: remembered long enough that no late fill brings the item back. */
export function toRemovedRecord({ namespace, id, version }: Tombstone, now: number): RemovedItemRecord {
  return { namespace, id, version, state: 'removed', expiresAt: now + REMOVED_RECORD_MS };
}
