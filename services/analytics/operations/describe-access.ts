import type { describeAccess as describeAccessOperation } from '../../../shared/contracts/access-log.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { latencyAt } from '../latency-buckets.ts';
import { KEPT_ADDRESSES, KEPT_VALUES } from '../repository/rankings.ts';
import { readSnapshot } from '../repository/snapshot.ts';
import * as statistics from '../repository/statistics.ts';
import { DAY_MS, dateOf, dayOf } from '../utc-days.ts';

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
      // Of a day with more addresses than are read the day itself knows how many there were.
      uniqueIps: Math.max(addresses.found, ...daily.map(({ uniqueIps }) => uniqueIps)),
      byStatus,
      byMethod: await statistics.requestsByMethod(tx, period),
      latency: {
        p50: latencyAt(latencies, 0.5),
        p95: latencyAt(latencies, 0.95),
        p99: latencyAt(latencies, 0.99),
      },
      paths: (await statistics.topValues(tx, 'path', period, VALUES)).values,
      ips: addresses.values,
      userAgents: (await statistics.topValues(tx, 'user_agent', period, VALUES)).values,
      referers: (await statistics.topValues(tx, 'referer', period, VALUES)).values,
      hours: await statistics.requestsByHour(tx, period),
      days: daily,
    };
  });
}
