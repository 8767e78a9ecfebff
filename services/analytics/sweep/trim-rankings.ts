import type { Batch } from '../../../shared/sweep/batch.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import {
  type Cut,
  findCuts,
  KEPT_ADDRESSES,
  KEPT_VALUES,
  type Ranking,
  trimBehind,
} from '../repository/rankings.ts';
import { DAY_MS, dateOf, dayOf } from '../utc-days.ts';

/** Values kept of the running day: one that has just begun to be frequent must not go before it is among the first. */
export const KEPT_TODAY = 20_000;

/**
 * Addresses of so many days are all kept: today's and those that can still get entries, as the event stream keeps them
 * for two days. An address that was removed and came again would count twice in its day.
 */
const DAYS_WITH_ALL_ADDRESSES = 3;

/** Days looked back at: some more than those of which something changes, for a service that was away. */
const DAYS = 7;

/** Values removed by one statement: a writer of one of them waits for it. */
const LIMIT = 5_000;

const DIMENSIONS = ['path', 'user_agent', 'referer'] as const;

/** A pass that keeps the most frequent values of each day, and the most frequent addresses of days that are long over. */
export function createRankingTrim({
  sql,
  clock,
}: Pick<AccessLogDependencies, 'sql' | 'clock'>): () => Promise<Batch> {
  let pending: Array<{ ranking: Ranking; cut: Cut }> = [];

  const findLong = async (): Promise<typeof pending> => {
    const today = dayOf(clock.now());
    const days = Array.from({ length: DAYS + 1 }, (_, n) => dateOf(today - n * DAY_MS));
    const asked: Array<{ ranking: Ranking; days: string[]; keep: number }> = [
      ...DIMENSIONS.flatMap((ranking) => [
        { ranking, days: days.slice(0, 1), keep: KEPT_TODAY },
        { ranking, days: days.slice(1), keep: KEPT_VALUES },
      ]),
      { ranking: 'client_ip', days: days.slice(DAYS_WITH_ALL_ADDRESSES), keep: KEPT_ADDRESSES },
    ];
    const found: typeof pending = [];
    for (const { ranking, ...period } of asked) {
      for (const cut of await findCuts(sql, ranking, period)) found.push({ ranking, cut });
    }
    return found;
  };

  // Counts only grow, so rows below a cut stay below it: one search serves until all of them are deleted.
  return async () => {
    if (pending.length === 0) pending = await findLong();
    const [first] = pending;
    if (first === undefined) return { done: 0, more: false };
    const done = await trimBehind(sql, first.ranking, first.cut, LIMIT);
    if (done < LIMIT) pending = pending.slice(1);
    return { done, more: pending.length > 0 };
  };
}
