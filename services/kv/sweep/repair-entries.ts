import { type RepairPass, runRepairPass } from '../../../shared/items/repair-pass.ts';
import { type Batch, inBatches } from '../../../shared/sweep/batch.ts';
import type { Round } from '../../../shared/sweep/sweeper.ts';
import { type EntryChange, toRecord } from '../announce-entry.ts';
import type { KvDependencies } from '../dependencies.ts';
import { findEntriesChangedSince, findEntriesRemovedSince } from '../repository/changes.ts';
import type { EntryRef, StoreOfEntry } from '../repository/entries.ts';

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
        ...{ store, key, sequence },
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
