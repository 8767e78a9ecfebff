import { lockWatermark } from '../../../shared/items/watermarks.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { Pass } from '../../../shared/sweep/sweeper.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import {
  foldDeltas,
  foldOldQuarters,
  foldTagDeltas,
  forgetHistory,
  hasDeltas,
} from '../repository/totals.ts';
import { DAY_MS } from '../utc-days.ts';
import { snapshotViews } from './snapshot-views.ts';

/** With the time the cache takes to tell of them, views are saved ten seconds after they were counted at the latest. */
export const TOTALS_INTERVAL_MS = 3_000;

/** The background work on view counters and totals, which runs more often than the sweeps. */
export const totalsPasses = (deps: AnalyticsDependencies): Pass[] => [
  ['snapshot-views', () => snapshotViews(deps)],
  ['fold-deltas', () => foldTotals(deps)],
];

const LIMIT = 5_000;

/** How long quarters of an hour are kept apart, in ms: longer than today has lasted in any time zone, clock skew included. */
const QUARTERS_KEPT_MS = 2 * DAY_MS;

/** A day more than the longest chart shows. */
const HISTORY_KEPT_MS = 31 * DAY_MS;

/**
 * Adds what changes have put into `item_deltas` and `tag_deltas` to the totals, so that a read of them stays cheap. One
 * process at a time. A service without changes has nothing written.
 */
export async function foldTotals({
  sql,
  clock,
}: Pick<AnalyticsDependencies, 'sql' | 'clock'>): Promise<Batch> {
  if (!(await hasDeltas(sql))) return { done: 0, more: false };
  return await sql.begin(async (tx) => {
    if ((await lockWatermark(tx, 'fold-deltas')) === null) return { done: 0, more: false };
    const [items, tags] = [await foldDeltas(tx, LIMIT), await foldTagDeltas(tx, LIMIT)];
    const now = clock.now();
    await foldOldQuarters(tx, now - QUARTERS_KEPT_MS);
    await forgetHistory(tx, now - HISTORY_KEPT_MS);
    return { done: items + tags, more: items === LIMIT || tags === LIMIT };
  });
}
