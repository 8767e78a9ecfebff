import { findItems, toRoute } from '../../../shared/items/registry.ts';
import { type CountedViews, saveViews } from '../../../shared/items/saved-views.ts';
import type { ChangedViews } from '../../../shared/ports/cache.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';

const LIMIT = 500;

type Dependencies = Pick<AnalyticsDependencies, 'sql' | 'cache' | 'clock'>;

/**
 * Saves the view counters that have grown. The cache forgets that they have only after the commit: a crash in between
 * saves them once more, which does no harm, and so do several processes at it.
 */
export async function snapshotViews(deps: Dependencies): Promise<Batch> {
  const { sql, cache } = deps;
  const changed = await cache.changedViews(LIMIT);
  // Views without a route were counted while the cache was away, or it has lost the route and what was counted before:
  // with the route it learns that, and tells of the item again. Without views there is nothing to save.
  const unknown = changed.filter(({ code, views }) => code === null && views > 0);
  const told = await tellRoutes(deps, unknown);
  const counted = changed.filter((item): item is ChangedViews & CountedViews => item.code !== null);
  if (counted.length > 0) await saveViews(sql, counted);
  await cache.viewsSaved(changed.filter((item) => !told.has(item)));
  return { done: counted.length, more: changed.length === LIMIT || told.size > 0 };
}

/** Tells the cache the routes of these items. Returns those of them that there are. */
async function tellRoutes(
  { sql, cache, clock }: Dependencies,
  unknown: ChangedViews[],
): Promise<Set<ChangedViews>> {
  if (unknown.length === 0) return new Set();
  const now = clock.now();
  const found = await findItems(sql, unknown);
  const live = found.filter((item) => item.expiresAt > now);
  await Promise.all(live.map((item) => cache.putRoute(toRoute(item))));
  const isLive = (one: ChangedViews) =>
    live.some(({ namespace, id }) => namespace === one.namespace && id === one.id);
  return new Set(unknown.filter(isLive));
}
