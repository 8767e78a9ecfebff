import type { Batch } from '../../../shared/sweep/batch.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { dropDay, listDays } from '../repository/days.ts';
import { forgetRollUps } from '../repository/roll-ups.ts';
import { oldestKeptDay } from '../utc-days.ts';

const LIMIT = 10_000;

/** Removes the days that are over their retention from the log, soon after midnight UTC; then what was counted of them. */
export async function dropOldDays({
  sql,
  clock,
  log,
  logRetentionDays,
}: AccessLogDependencies): Promise<Batch> {
  const oldest = oldestKeptDay(clock.now(), logRetentionDays);
  const old = (await listDays(sql)).filter((day) => day < oldest);
  for (const day of old) {
    await dropDay(sql, day);
    log.info({ day: new Date(day) }, 'a day of the access log is over its retention and was dropped');
  }
  const forgotten = await forgetRollUps(sql, oldest, LIMIT);
  return { done: old.length + forgotten, more: forgotten >= LIMIT };
}
