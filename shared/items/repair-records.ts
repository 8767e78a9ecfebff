import type { Cache } from '../ports/cache.ts';
import { type Batch, inBatches } from '../sweep/batch.ts';
import type { Round } from '../sweep/sweeper.ts';
import type { ItemRef } from './item.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import type { ItemRecord } from './item-record.ts';
import { findItemsChangedSince, toItemRecord } from './item-repository.ts';
import { COMMIT_LAG_MS, REMEMBERED_MS, type RepairPass, runRepairPass } from './repair-pass.ts';
import { findTombstonesSince, forgetTombstones, toRemovedRecord } from './tombstones.ts';

const BATCH = 500;
const START: ItemRef = { namespace: '', id: '' };

type Dependencies = Pick<ItemDependencies, 'sql' | 'cache' | 'clock'>;

/** The repair pass of records, for items of every kind. */
export const repairRecords = (deps: Dependencies, round: Round): Promise<Batch> =>
  runRepairPass(deps, recordsOf(deps.cache), round);

const recordsOf = (cache: Cache): RepairPass => ({
  part: 'items',
  // The name under which the database keeps it, also for earlier releases.
  watermark: 'route-repair',
  async tell(tx, since, now) {
    const items = await send(
      cache,
      (after) => findItemsChangedSince(tx, since, after, BATCH),
      (item) => (item.expiresAt > now ? toItemRecord(item) : null),
    );
    const removals = await send(
      cache,
      (after) => findTombstonesSince(tx, since, after, BATCH),
      (tombstone) => toRemovedRecord(tombstone, now),
    );
    return items + removals;
  },
  afterwards: (tx, reached) => forgetTombstones(tx, reached - REMEMBERED_MS - COMMIT_LAG_MS),
});

/** Sends what a query finds to the cache, in the order of addresses. Returns how many records. */
const send = <Found extends ItemRef>(
  cache: Cache,
  find: (after: ItemRef) => Promise<Found[]>,
  toRecord: (found: Found) => ItemRecord | null,
): Promise<number> =>
  inBatches(START, BATCH, find, async (found) => {
    const records = found.map(toRecord).filter((record) => record !== null);
    await Promise.all(records.map((record) => cache.putRecord(record)));
    return records.length;
  });
