import type { AccessFilter } from '../../../shared/contracts/access-log.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { matching, timings } from './entries.ts';

/** Buckets of one length: one of them begins with `origin`. */
export interface Buckets {
  origin: number;
  bucketMs: number;
}

/** A filter for a chart, which has a beginning and an end. */
export type ChartFilter = AccessFilter & { from: number; to: number };

/** Requests of a span of time, by its first ms. */
export interface ChartBucket {
  at: number;
  requests: number;
  refused: number;
  failed: number;
}

const sums = (sql: Query) => sql`
  sum(requests)::bigint as requests,
  coalesce(sum(requests) filter (where status / 100 = 4), 0)::bigint as refused,
  coalesce(sum(requests) filter (where status / 100 = 5), 0)::bigint as failed`;

/** The bucket of a moment, by its first ms. */
const bucketOf = (sql: Query, column: 'hour' | 'created_at', { origin, bucketMs }: Buckets) => sql`
  date_bin(${bucketMs / 1000} * interval '1 second', ${sql(column)}, ${origin}::timestamptz)`;

/** All requests of whole hours, from the roll-ups. */
export async function chartHours(
  sql: Query,
  { from, to }: Pick<ChartFilter, 'from' | 'to'>,
  buckets: Buckets,
): Promise<ChartBucket[]> {
  return await sql<ChartBucket[]>`
    select ${bucketOf(sql, 'hour', buckets)} as at, ${sums(sql)} from access_hours
    where hour >= ${from} and hour < ${to} group by 1 order by 1`;
}

/** Requests that pass any filter. */
export async function chartEntries(
  sql: Query,
  filter: ChartFilter,
  buckets: Buckets,
): Promise<ChartBucket[]> {
  return await sql<ChartBucket[]>`
    select ${bucketOf(sql, 'created_at', buckets)} as at, ${sums(sql)}
    from ${timings(sql, filter)} where ${matching(sql, filter)} group by 1 order by 1`;
}

/** Percentiles of the latency of the requests that pass a filter, in ms (nearest rank). */
export async function entryLatencies(
  sql: Query,
  filter: ChartFilter,
): Promise<{ p50: number | null; p95: number | null; p99: number | null }> {
  const [found] = await sql<Array<{ p50: number | null; p95: number | null; p99: number | null }>>`
    select min(duration_ms) filter (where reached >= 0.5 * requests) as p50,
      min(duration_ms) filter (where reached >= 0.95 * requests) as p95,
      min(duration_ms) filter (where reached >= 0.99 * requests) as p99
    from (
      select duration_ms, sum(requests) over (order by duration_ms) as reached, sum(requests) over () as requests
      from ${timings(sql, filter)} where ${matching(sql, filter)}
    ) as ordered`;
  return found ?? { p50: null, p95: null, p99: null };
}
