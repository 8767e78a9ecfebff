import type {
  AccessFilter,
  chartAccess as chartAccessOperation,
} from '../../../shared/contracts/access-log.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { errors } from '../../../shared/errors.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { latencyAt } from '../latency-buckets.ts';
import {
  type Buckets,
  type ChartFilter,
  chartEntries,
  chartHours,
  entryLatencies,
} from '../repository/charts.ts';
import { readSnapshot } from '../repository/snapshot.ts';
import { countLatencies } from '../repository/statistics.ts';
import { HOUR_MS } from '../utc-days.ts';

/** Entries that are looked at one by one, the newest first. */
const ENTRIES_BOUND = 50_000;

/** Requests over time. Whole hours without a filter that roll-ups lack come from those; all else from the log itself. */
export async function chartAccess(
  { sql }: AccessLogDependencies,
  { filter, ...buckets }: InputOf<typeof chartAccessOperation>,
): Promise<ReplyOf<typeof chartAccessOperation>> {
  const charted = bounded(filter);
  return await readSnapshot(sql, async (tx) => {
    if (isOfHours(charted, buckets)) {
      const latencies = await countLatencies(tx, { ...charted, days: [] });
      const latency = {
        p50: latencyAt(latencies, 0.5),
        p95: latencyAt(latencies, 0.95),
        p99: latencyAt(latencies, 0.99),
      };
      return { buckets: await chartHours(tx, charted, buckets), latency, isLowerBound: false };
    }
    const found = await chartEntries(tx, charted, buckets, ENTRIES_BOUND);
    const looked = found.reduce((sum, { entries }) => sum + entries, 0);
    return {
      buckets: found.map(({ entries: _, ...bucket }) => bucket),
      latency: await entryLatencies(tx, charted, ENTRIES_BOUND),
      isLowerBound: looked === ENTRIES_BOUND,
    };
  });
}

function bounded({ from, to, ...filter }: AccessFilter): ChartFilter {
  if (from === null || to === null)
    throw errors.internal(new TypeError('a chart without a beginning or an end'));
  return { ...filter, from, to };
}

/** Latencies are rolled up by hour alone. */
const isOfHours = ({ from, to, ...filter }: ChartFilter, { origin, bucketMs }: Buckets): boolean =>
  [from, to, origin, bucketMs].every((ms) => ms % HOUR_MS === 0) &&
  Object.values(filter).every((field) => field === null);
