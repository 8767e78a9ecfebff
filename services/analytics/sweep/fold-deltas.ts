import { lockWatermark } from '../../../shared/items/watermarks.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import { foldDeltas, foldOldQuarters, hasDeltas } from '../repository/totals.ts';

const LIMIT = 5_000;

/** No day of any time zone has begun so long ago, in ms; no watch runs so late. */
const QUARTERS_KEPT_MS = 2 * 86_400_000;

/**
 * Adds what changes have put into `item_deltas` to the totals, so that a read of them stays cheap. One process at a time.
 * A service without changes has nothing written.
 */
export async function foldTotals({
  sql,
  clock,
}: Pick<AnalyticsDependencies, 'sql' | 'clock'>): Promise<Batch> {
  if (!(await hasDeltas(sql))) return { done: 0, more: false };
  return await sql.begin(async (tx) => {
    if ((await lockWatermark(tx, 'fold-deltas')) === null) return { done: 0, more: false };
    const done = await foldDeltas(tx, LIMIT);
    await foldOldQuarters(tx, clock.now() - QUARTERS_KEPT_MS);
    return { done, more: done === LIMIT };
  });
}
