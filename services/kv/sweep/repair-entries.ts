import { CACHED_VALUE_BYTES, type Entry } from '../../../shared/items/entry.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import { type RepairPass, runRepairPass } from '../../../shared/items/repair-pass.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { type Batch, inBatches } from '../../../shared/sweep/batch.ts';
import type { Round } from '../../../shared/sweep/sweeper.ts';
import { type EntryChange, toRecord } from '../announce-entry.ts';
import type { KvDependencies } from '../dependencies.ts';
import type { EntryRef, StoreOfEntry } from '../repository/entries.ts';
import type { RemovedEntry } from '../repository/removed-entries.ts';

export const WATERMARK = 'kv-repair';

/** A batch of values as large as the cache keeps is a few MB. */
const BATCH = 100;
const START: EntryRef = { namespace: '', id: '', key: '' };

/** The repair pass of the keys of stores. */
export const repairEntries = (deps: KvDependencies, round: Round): Promise<Batch> =>
  runRepairPass(deps, entriesOf(deps), round);

const entriesOf = (deps: KvDependencies): RepairPass => ({
  part: 'entries',
  watermark: WATERMARK,
  async tell(tx, since, now) {
    const bounds = { now, limit: BATCH };
    const changed = await send(
      deps,
      (after) => findEntriesChangedSince(tx, since, after, bounds),
      ({ store, key, sequence, value, sizeBytes, version, updatedAt }) => ({
        store,
        key,
        sequence,
        entry: value === null ? null : { key, value, sizeBytes, version, sequence, updatedAt },
      }),
    );
    const removed = await send(
      deps,
      (after) => findEntriesRemovedSince(tx, since, after, bounds),
      ({ store, key, sequence }) => ({ store, key, sequence, entry: null }),
    );
    return changed + removed;
  },
});

/** Sends what a query finds to the cache, in the order of addresses. Returns how many records. */
const send = <Found extends EntryRef & StoreOfEntry>(
  { cache }: KvDependencies,
  find: (after: EntryRef) => Promise<Found[]>,
  toChange: (found: Found) => EntryChange,
): Promise<number> =>
  inBatches(START, BATCH, find, async (found) => {
    await Promise.all(
      found.map((entry) => cache.putEntry(entry, toRecord(toChange(entry)), entry.expiresAt)),
    );
    return found.length;
  });

/** A value that was written. */
interface ChangedEntry extends ItemRef, StoreOfEntry, Omit<Entry, 'value'> {
  /** `null` when the cache does not keep a value of that size. */
  value: string | null;
}

/** Values of live stores written after a moment, in the order of their addresses, after a given one. */
async function findEntriesChangedSince(
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
async function findEntriesRemovedSince(
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
