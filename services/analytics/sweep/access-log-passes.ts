import { EVENT_RETENTION_MS } from '../../../shared/ports/event-stream.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { Pass } from '../../../shared/sweep/sweeper.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { forgetBatches } from '../repository/batches.ts';
import { areIndexesOutdated, indexDays } from '../repository/day-indexes.ts';
import { dropDay, listDays, makeDays } from '../repository/days.ts';
import { forgetRollUps } from '../repository/roll-ups.ts';
import { DAY_MS, dayOf, oldestKeptDay } from '../utc-days.ts';
import { forgetItemViews } from './forget-item-views.ts';
import { createRankingTrim } from './trim-rankings.ts';

/** The background work on the access log, each list for a sweeper of its own: a day may be indexed for long, and nothing waits for that. */
export const accessLogPasses = (deps: AccessLogDependencies): Pass[][] => [
  [
    ['prepare-access-days', () => prepareDays(deps)],
    ['drop-access-days', () => dropOldDays(deps)],
    ['trim-access-rankings', createRankingTrim(deps)],
    ['forget-access-batches', () => forgetOldBatches(deps)],
    ['forget-item-views', () => forgetItemViews(deps)],
  ],
  [['index-access-days', () => updateIndexes(deps)]],
];

/** Makes the log ready for today and tomorrow, so that no writer has to at midnight. */
export async function prepareDays({ sql, clock }: AccessLogDependencies): Promise<Batch> {
  const today = dayOf(clock.now());
  await makeDays(sql, [today, today + DAY_MS]);
  return { done: 0, more: false };
}

/** Brings the indexes of the log up to date with this release. */
export async function updateIndexes({ sql, clock, openMaintenance }: AccessLogDependencies): Promise<Batch> {
  if (await areIndexesOutdated(sql)) {
    const maintenance = openMaintenance();
    // The stream hands on no events of days before this one.
    const settled = dayOf(clock.now() - EVENT_RETENTION_MS);
    await indexDays(maintenance, settled).finally(() => maintenance.end({ timeout: 1 }));
  }
  return { done: 0, more: false };
}

const ROLL_UPS_AT_ONCE = 10_000;

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
  const forgotten = await forgetRollUps(sql, oldest, ROLL_UPS_AT_ONCE);
  return { done: old.length + forgotten, more: forgotten >= ROLL_UPS_AT_ONCE };
}

const BATCHES_AT_ONCE = 5_000;

/** How long the ids of written batches are kept: longer than the event stream keeps a batch, which is two days. */
const BATCHES_KEPT_MS = 3 * DAY_MS;

/** Forgets which batches were written, once they cannot arrive again. */
export async function forgetOldBatches({ sql, clock }: AccessLogDependencies): Promise<Batch> {
  const done = await forgetBatches(sql, clock.now() - BATCHES_KEPT_MS, BATCHES_AT_ONCE);
  return { done, more: done === BATCHES_AT_ONCE };
}
