import { LRUCache } from 'lru-cache';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { readStats as contract } from '../../../shared/contracts/stats.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import { sumTotals } from '../repository/totals.ts';

/** Statistics are computed at most this often, in ms; callers in between share the last result. */
const FRESH_MS = 1_000;
/** Days begin at some forty different moments around the world. */
const MAX_DAYS = 100;

type Stats = ReplyOf<typeof contract>;

/** Reads the totals of the service, once a second and day at most, however many ask. */
export function createStatsReader({
  sql,
  clock,
}: Pick<AnalyticsDependencies, 'sql' | 'clock'>): (input: InputOf<typeof contract>) => Promise<Stats> {
  const recent = new LRUCache<number, Stats>({
    max: MAX_DAYS,
    ttl: FRESH_MS,
    fetchMethod: async (todayFrom) => {
      const at = clock.now();
      return { totals: await sumTotals(sql, todayFrom), at };
    },
  });
  return ({ todayFrom }) => recent.forceFetch(todayFrom);
}
