import type { Batch } from '../../../shared/sweep/batch.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { makeDays } from '../repository/days.ts';
import { DAY_MS, dayOf } from '../utc-days.ts';

/** Makes the log ready for today and tomorrow, so that no writer has to at midnight. */
export async function prepareDays({ sql, clock }: AccessLogDependencies): Promise<Batch> {
  const today = dayOf(clock.now());
  await makeDays(sql, [today, today + DAY_MS]);
  return { done: 0, more: false };
}
