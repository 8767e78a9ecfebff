import type { Query } from '../../../shared/items/sql.ts';
import type { LatencyCount } from '../latency-buckets.ts';
import { type Ranking, rankingOf } from './rankings.ts';

export interface Counted<T> {
  value: T;
  requests: number;
}

/** Days as `2026-11-21` and the hours they begin and end with: from the first one up to before the second. */
export interface Period {
  days: readonly string[];
  from: number;
  to: number;
}

/** Requests by status. */
export async function requestsByStatus(sql: Query, { from, to }: Period): Promise<Array<Counted<number>>> {
  return await sql<Array<Counted<number>>>`
    select status::int as value, sum(requests)::bigint as requests from access_hours
    where hour >= ${from} and hour < ${to} group by 1 order by 1`;
}

/** Requests by method. */
export async function requestsByMethod(sql: Query, { from, to }: Period): Promise<Array<Counted<string>>> {
  return await sql<Array<Counted<string>>>`
    select method as value, sum(requests)::bigint as requests from access_hours
    where hour >= ${from} and hour < ${to} group by 1 order by method collate "C"`;
}

/** Requests by the hour of the day, 0 to 23. */
export async function requestsByHour(sql: Query, { from, to }: Period): Promise<Array<Counted<number>>> {
  return await sql<Array<Counted<number>>>`
    select extract(hour from hour)::int as value, sum(requests)::bigint as requests from access_hours
    where hour >= ${from} and hour < ${to} group by 1 order by 1`;
}

/** Requests and addresses of each day, oldest first. */
export async function countDays(
  sql: Query,
  { days }: Period,
): Promise<Array<{ date: string; requests: number; uniqueIps: number }>> {
  return await sql<Array<{ date: string; requests: number; uniqueIps: number }>>`
    select asked.day as date, coalesce(requests, 0) as requests, coalesce(clients, 0) as unique_ips
    from unnest(${[...days]}::text[]) as asked (day) left join access_days on access_days.day = asked.day::date
    order by 1`;
}

/** Latencies by bucket, in their order. */
export async function countLatencies(sql: Query, { from, to }: Period): Promise<LatencyCount[]> {
  return await sql<LatencyCount[]>`
    select bucket, sum(requests)::bigint as requests from access_hour_latencies
    where hour >= ${from} and hour < ${to} group by 1 order by 1`;
}

/** The most frequent values of a ranking, and of how many different ones. */
export interface TopValues {
  values: Array<Counted<string>>;
  found: number;
}

/**
 * The most frequent values of a ranking in a period. Only the `perDay` most frequent of each day are read: counts are
 * exact for values that are among them on every day, and so is `found` when no day has more.
 */
export async function topValues(
  sql: Query,
  ranking: Ranking,
  { days }: Period,
  { limit, perDay }: { limit: number; perDay: number },
): Promise<TopValues> {
  const { table, value, within } = rankingOf(sql, ranking);
  const rows = await sql<Array<Counted<string> & { found: number }>>`
    select value, sum(requests)::bigint as requests, count(*) over () as found
    from unnest(${[...days]}::text[]) as asked (day) cross join lateral (
      select ${value} as value, requests from ${table}
      where day = asked.day::date ${within} order by requests desc limit ${perDay}
    ) as top
    group by 1 order by 2 desc, value collate "C" limit ${limit}`;
  const values = rows.map(({ value, requests }) => ({ value, requests }));
  return { values, found: rows[0]?.found ?? 0 };
}
