import type { Batch } from '../../../shared/sweep/batch.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { forgetGoneItems, forgetViewsOf, goneItems } from '../repository/item-views.ts';
import { lockRollUps } from '../repository/roll-ups.ts';
import { DAY_MS, dateOf, dayOf, oldestKeptDay } from '../utc-days.ts';

/** Items and rows at once: writers of the log wait meanwhile. */
const ITEMS = 200;
const LIMIT = 5_000;

/** Forgets how often items were viewed that are gone. Older days than those go with the log. */
export async function forgetItemViews({
  sql,
  clock,
  logRetentionDays,
}: Pick<AccessLogDependencies, 'sql' | 'clock' | 'logRetentionDays'>): Promise<Batch> {
  const codes = await goneItems(sql, ITEMS);
  if (codes.length === 0) return { done: 0, more: false };
  const now = clock.now();
  const oldest = oldestKeptDay(now, logRetentionDays);
  const count = (dayOf(now) - oldest) / DAY_MS + 1;
  const days = Array.from({ length: count }, (_, n) => dateOf(oldest + n * DAY_MS));
  return await sql.begin(async (tx) => {
    // A writer under this lock looks for the item first: one that found it has committed by now.
    await lockRollUps(tx);
    const removed = await forgetViewsOf(tx, codes, days, LIMIT);
    const isWhole = removed < LIMIT;
    if (isWhole) await forgetGoneItems(tx, codes);
    return { done: removed, more: !isWhole || codes.length === ITEMS };
  });
}
