import type {
  AccessFilter,
  chartAccess as chartAccessOperation,
  describeAccess as describeAccessOperation,
  listAccess as listAccessOperation,
} from '../../../shared/contracts/access-log.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { errors } from '../../../shared/errors.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { countAccess } from '../entry-count.ts';
import { type LatencyCount, latencyAt } from '../latency-buckets.ts';
import {
  type Buckets,
  type ChartFilter,
  chartEntries,
  chartHours,
  entryLatencies,
} from '../repository/charts.ts';
import { listEntries } from '../repository/entries.ts';
import { KEPT_ADDRESSES, KEPT_VALUES } from '../repository/rankings.ts';
import { newestSince } from '../repository/rows.ts';
import { readSnapshot } from '../repository/snapshot.ts';
import * as statistics from '../repository/statistics.ts';
import { DAY_MS, dateOf, dayOf, HOUR_MS } from '../utc-days.ts';

/** Entries of the log that pass a filter, newest first, and how many requests there are in all. */
export async function listAccess(
  { sql }: AccessLogDependencies,
  { filter, after, offset, limit, counted }: InputOf<typeof listAccessOperation>,
): Promise<ReplyOf<typeof listAccessOperation>> {
  return await readSnapshot(sql, async (tx) => {
    const found = await listEntries(tx, filter, { after, offset, limit: limit + 1 });
    const items = found.slice(0, limit);
    const more = found.length > limit;
    if (!counted) return { items, more, total: null };
    const isWhole = !more && after === null && offset === 0;
    if (!isWhole) return { items, more, total: await countAccess(tx, filter) };
    const count = items.reduce((sum, { requests }) => sum + requests, 0);
    return { items, more, total: { count, isLowerBound: false } };
  });
}

/** Values of each list of the most frequent. */
const TOP = 20;
const VALUES = { limit: TOP, perDay: KEPT_VALUES };
const ADDRESSES = { limit: TOP, perDay: KEPT_ADDRESSES };

/** Summarises today (UTC) and the days before it, `days` in all, from the roll-ups alone. */
export async function describeAccess(
  { sql, clock }: AccessLogDependencies,
  { days }: InputOf<typeof describeAccessOperation>,
): Promise<ReplyOf<typeof describeAccessOperation>> {
  const to = dayOf(clock.now()) + DAY_MS;
  const from = to - days * DAY_MS;
  const period = { from, to, days: Array.from({ length: days }, (_, n) => dateOf(from + n * DAY_MS)) };
  return await readSnapshot(sql, async (tx) => {
    const byStatus = await statistics.requestsByStatus(tx, period);
    const latencies = await statistics.countLatencies(tx, period);
    const addresses = await statistics.topValues(tx, 'client_ip', period, ADDRESSES);
    const daily = await statistics.countDays(tx, period);
    return {
      totalRequests: byStatus.reduce((sum, { requests }) => sum + requests, 0),
      // A day with more addresses than are read knows by itself how many there were.
      uniqueIps: Math.max(addresses.found, ...daily.map(({ uniqueIps }) => uniqueIps)),
      byStatus,
      byMethod: await statistics.requestsByMethod(tx, period),
      latency: percentilesOf(latencies),
      paths: (await statistics.topValues(tx, 'path', period, VALUES)).values,
      ips: addresses.values,
      userAgents: (await statistics.topValues(tx, 'user_agent', period, VALUES)).values,
      referers: (await statistics.topValues(tx, 'referer', period, VALUES)).values,
      hours: await statistics.requestsByHour(tx, period),
      days: daily,
    };
  });
}

/** Of more entries the newest alone are charted, all since a time. */
const NEWEST = { after: null, wanted: 50_000, maxLookedAt: 250_000 };

/** Requests over time. Whole hours without a filter that roll-ups lack come from those; all else from the log itself. */
export async function chartAccess(
  { sql }: AccessLogDependencies,
  { filter, ...buckets }: InputOf<typeof chartAccessOperation>,
): Promise<ReplyOf<typeof chartAccessOperation>> {
  const charted = bounded(filter);
  return await readSnapshot(sql, async (tx) => {
    if (isOfHours(charted, buckets)) {
      const latencies = await statistics.countLatencies(tx, { ...charted, days: [] });
      const latency = percentilesOf(latencies);
      return { buckets: await chartHours(tx, charted, buckets), latency, isLowerBound: false };
    }
    const { since, isAll } = await newestSince(tx, charted, NEWEST);
    const newest = { ...charted, from: since };
    return {
      buckets: await chartEntries(tx, newest, buckets),
      latency: await entryLatencies(tx, newest),
      isLowerBound: !isAll,
    };
  });
}

const percentilesOf = (latencies: readonly LatencyCount[]) => ({
  p50: latencyAt(latencies, 0.5),
  p95: latencyAt(latencies, 0.95),
  p99: latencyAt(latencies, 0.99),
});

function bounded({ from, to, ...filter }: AccessFilter): ChartFilter {
  if (from === null || to === null)
    throw errors.internal(new TypeError('a chart without a beginning or an end'));
  return { ...filter, from, to };
}

/** Latencies are rolled up by hour alone. */
const isOfHours = ({ from, to, ...filter }: ChartFilter, { origin, bucketMs }: Buckets): boolean =>
  [from, to, origin, bucketMs].every((ms) => ms % HOUR_MS === 0) &&
  Object.values(filter).every((field) => field === null);
