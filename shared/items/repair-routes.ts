import type { Cache } from '../ports/cache.ts';
import type { Batch } from '../sweep/batch.ts';
import { inBatches } from '../sweep/in-batches.ts';
import type { Round } from '../sweep/sweeper.ts';
import type { ItemRef } from './item.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import { findItemsChangedSince, toRoute } from './registry.ts';
import { takeRepairTurn } from './repair-turn.ts';
import type { Route } from './route.ts';
import { findTombstonesSince, forgetTombstones, toRemovedRoute } from './tombstones.ts';
import { advanceWatermark } from './watermarks.ts';

const BATCH = 500;
const START: ItemRef = { namespace: '', id: '' };

/**
 * Tells the cache again of every change since the last pass that succeeded: of those it missed while it was away, and
 * of those whose writer died between the commit and the announcement. The version rule makes the rest a no-op.
 */
export async function repairRoutes(
  deps: Pick<ItemDependencies, 'sql' | 'cache' | 'clock'>,
  round: Round,
): Promise<Batch> {
  return await deps.sql.begin(async (tx) => {
    const now = deps.clock.now();
    const since = await takeRepairTurn(tx, 'route-repair', { ...round, now });
    if (typeof since !== 'number') return since;
    const items = await send(
      deps.cache,
      (after) => findItemsChangedSince(tx, since, after, BATCH),
      (item) => (item.expiresAt > now ? toRoute(item) : null),
    );
    const removals = await send(
      deps.cache,
      (after) => findTombstonesSince(tx, since, after, BATCH),
      (tombstone) => toRemovedRoute(tombstone, now),
    );
    await advanceWatermark(tx, 'route-repair', now);
    await forgetTombstones(tx, since);
    return { done: items + removals, more: false };
  });
}

/** Sends what a query finds to the cache, in the order of addresses. Returns how many records. */
const send = <Found extends ItemRef>(
  cache: Cache,
  find: (after: ItemRef) => Promise<Found[]>,
  toRecord: (found: Found) => Route | null,
): Promise<number> =>
  inBatches(START, BATCH, find, async (found) => {
    const records = found.map(toRecord).filter((record) => record !== null);
    await Promise.all(records.map((record) => cache.putRoute(record)));
    return records.length;
  });
