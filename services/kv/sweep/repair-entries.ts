import { takeRepairTurn } from '../../../shared/items/repair-turn.ts';
import { advanceWatermark } from '../../../shared/items/watermarks.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import { inBatches } from '../../../shared/sweep/in-batches.ts';
import type { Round } from '../../../shared/sweep/sweeper.ts';
import { type EntryChange, toRecord } from '../announce-entry.ts';
import type { KvDependencies } from '../dependencies.ts';
import { findEntriesChangedSince, findEntriesRemovedSince } from '../repository/changes.ts';
import type { EntryRef, StoreOfEntry } from '../repository/entries.ts';

export const WATERMARK = 'kv-repair';

/** A batch of values as large as the cache keeps is a few MB. */
const BATCH = 100;
const START: EntryRef = { namespace: '', id: '', key: '' };

/**
 * Tells the cache again of every key written or removed since the last pass that succeeded: of those it missed while it
 * was away, and of those whose writer died between the commit and the announcement. The higher sequence makes the rest
 * a no-op.
 */
export async function repairEntries(deps: KvDependencies, round: Round): Promise<Batch> {
  return await deps.sql.begin(async (tx) => {
    const now = deps.clock.now();
    const since = await takeRepairTurn(tx, WATERMARK, { ...round, now });
    if (typeof since !== 'number') return since;
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
    await advanceWatermark(tx, WATERMARK, now);
    return { done: changed + removed, more: false };
  });
}

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
