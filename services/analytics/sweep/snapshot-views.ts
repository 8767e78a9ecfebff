import { itemKey } from '../../../shared/items/item.ts';
import { findItems, toItemRecord } from '../../../shared/items/item-repository.ts';
import { type CountedViews, saveViews } from '../../../shared/items/saved-views.ts';
import type { ChangedViews } from '../../../shared/ports/cache.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';

const LIMIT = 500;

/** Views that cannot be saved are tried again so much later, in ms: soon enough, and meanwhile others have their turn. */
const DEFER_MS = 60_000;

type Dependencies = Pick<AnalyticsDependencies, 'sql' | 'cache' | 'clock'>;

/**
 * Saves the view counters that have grown. The cache forgets that they have only after the commit: a crash in between
 * saves them once more, which does no harm, and so do several processes at it.
 */
export async function snapshotViews(deps: Dependencies): Promise<Batch> {
  const { sql, cache } = deps;
  const changed = await cache.changedViews(LIMIT);
  // Views without a record were counted while the cache was away, or it has lost the record and what was counted before:
  // with the record it learns that, and tells of the item again. Without views there is nothing to save.
  const unknown = changed.filter(({ code, views }) => code === null && views > 0);
  const { told, refused } = await tellRecords(deps, unknown);
  const counted = changed.filter((item): item is ChangedViews & CountedViews => item.code !== null);
  if (counted.length > 0) await saveViews(sql, counted);
  await cache.viewsSaved(changed.filter((item) => !(told.has(item) || refused.has(item))));
  await cache.deferViews([...refused], DEFER_MS);
  // A batch that only could be deferred ends the round, or a long row of such would hold up the other passes.
  const more = refused.size < LIMIT && (changed.length === LIMIT || told.size > 0);
  return { done: counted.length, more };
}

interface Told {
  told: Set<ChangedViews>;
  /** Items whose record the cache did not take: it is full, or has a newer one. */
  refused: Set<ChangedViews>;
}

/** Tells the cache the records of those of these items that are live. */
async function tellRecords({ sql, cache, clock }: Dependencies, unknown: ChangedViews[]): Promise<Told> {
  const [told, refused] = [new Set<ChangedViews>(), new Set<ChangedViews>()];
  if (unknown.length === 0) return { told, refused };
  const now = clock.now();
  const live = (await findItems(sql, unknown)).filter((item) => item.expiresAt > now);
  const byKey = new Map(unknown.map((one) => [itemKey(one), one]));
  await Promise.all(
    live.map(async (item) => {
      const isTaken = await cache.putRecord(toItemRecord(item));
      const one = byKey.get(itemKey(item));
      if (one !== undefined) (isTaken ? told : refused).add(one);
    }),
  );
  return { told, refused };
}
