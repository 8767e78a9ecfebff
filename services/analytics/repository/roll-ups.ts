import type { AccessFilter } from '../../../shared/contracts/access-log.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { RollUps } from '../roll-ups.ts';
import { dateOf } from '../utc-days.ts';
import { addItemViews } from './item-views.ts';
import { KEPT_ADDRESSES } from './rankings.ts';

/**
 * Takes the lock on the roll-ups until the transaction ends: writers touch the same rows in any order, and would deadlock.
 */
export async function lockRollUps(sql: Query): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('access roll-ups', 2))`;
}

/** Adds counts to the roll-ups. Takes the lock: call it last. */
export async function addToRollUps(sql: Query, rollUps: RollUps): Promise<void> {
  const { hours, latencies, ips, values } = rollUps;
  await lockRollUps(sql);
  await sql`
    insert into access_hours (hour, method, status, requests)
    select * from unnest(
      ${hours.map(({ hour }) => hour)}::timestamptz[], ${hours.map(({ method }) => method)}::text[],
      ${hours.map(({ status }) => status)}::smallint[], ${hours.map(({ requests }) => requests)}::bigint[]
    )
    on conflict (hour, method, status) do update set requests = access_hours.requests + excluded.requests`;
  await sql`
    insert into access_hour_latencies (hour, bucket, requests)
    select * from unnest(
      ${latencies.map(({ hour }) => hour)}::timestamptz[], ${latencies.map(({ bucket }) => bucket)}::smallint[],
      ${latencies.map(({ requests }) => requests)}::bigint[]
    )
    on conflict (hour, bucket) do update set requests = access_hour_latencies.requests + excluded.requests`;
  // Whatever has no more requests than were added is new: each adds one at least.
  await sql`
    with added as (
      select day::date, client_ip, requests from unnest(
        ${ips.map(({ day }) => day)}::text[], ${ips.map(({ clientIp }) => clientIp)}::text[],
        ${ips.map(({ requests }) => requests)}::bigint[]
      ) as added (day, client_ip, requests)
    ), counted as (
      insert into access_day_ips (day, client_ip, requests) select day, client_ip, requests from added
      on conflict (day, client_ip) do update set requests = access_day_ips.requests + excluded.requests
      returning day, client_ip, requests
    )
    insert into access_days (day, requests, clients)
    select day, sum(added.requests), count(*) filter (where counted.requests = added.requests)
    from added join counted using (day, client_ip) group by day
    on conflict (day) do update
    set requests = access_days.requests + excluded.requests, clients = access_days.clients + excluded.clients`;
  await sql`
    insert into access_day_values (day, dimension, value, requests)
    select day::date, dimension, value, requests from unnest(
      ${values.map(({ day }) => day)}::text[], ${values.map(({ dimension }) => dimension)}::text[],
      ${values.map(({ value }) => value)}::text[], ${values.map(({ requests }) => requests)}::bigint[]
    ) as added (day, dimension, value, requests)
    on conflict (day, dimension, value) do update set requests = access_day_values.requests + excluded.requests`;
  await addItemViews(sql, rollUps);
}

/** Requests that pass a filter of nothing but these fields. `from` and `to` are whole hours. */
export async function countRolledUp(
  sql: Query,
  {
    method,
    status,
    statusClass,
    from,
    to,
  }: Pick<AccessFilter, 'method' | 'status' | 'statusClass' | 'from' | 'to'>,
): Promise<number> {
  const none = sql``;
  const [found] = await sql<Array<{ requests: number }>>`
    select coalesce(sum(requests), 0)::bigint as requests from access_hours
    where true
      ${from === null ? none : sql`and hour >= ${from}`}
      ${to === null ? none : sql`and hour < ${to}`}
      ${method === null ? none : sql`and method = ${method}`}
      ${status === null ? none : sql`and status = ${status}`}
      ${statusClass === null ? none : sql`and status / 100 = ${statusClass}`}`;
  return found?.requests ?? 0;
}

/**
 * Requests of an address on each day that has any entries, by the day's first ms; `from` and `to` are whole days. `null`
 * for a day of which rare addresses may have been forgotten, when this one is not counted there.
 */
export async function countAddressByDay(
  sql: Query,
  { clientIp, from, to }: { clientIp: string; from: number | null; to: number | null },
): Promise<Array<{ day: number; requests: number | null }>> {
  const none = sql``;
  const days = await sql<Array<{ date: string; requests: number | null }>>`
    select access_days.day::text as date,
      case when clients <= ${KEPT_ADDRESSES} then coalesce(counted.requests, 0) else counted.requests end as requests
    from access_days
    left join access_day_ips as counted on counted.day = access_days.day and counted.client_ip = ${clientIp}
    where true
      ${from === null ? none : sql`and access_days.day >= ${dateOf(from)}::text::date`}
      ${to === null ? none : sql`and access_days.day < ${dateOf(to)}::text::date`}`;
  return days.map(({ date, requests }) => ({ day: Date.parse(date), requests }));
}

/** Removes some of what was counted before a day (its first ms). Returns how many rows. */
export async function forgetRollUps(sql: Query, before: number, limit: number): Promise<number> {
  const day = sql`${dateOf(before)}::text::date`;
  const removed = [
    await sql`delete from access_hours where hour < ${before}`,
    await sql`delete from access_hour_latencies where hour < ${before}`,
    await sql`delete from access_days where day < ${day}`,
    await sql`
      delete from access_day_ips where ctid = any(array(
        select ctid from access_day_ips where day < ${day} limit ${limit}
      ))`,
    await sql`
      delete from access_day_values where ctid = any(array(
        select ctid from access_day_values where day < ${day} limit ${limit}
      ))`,
    await sql`
      delete from item_view_hours where ctid = any(array(
        select ctid from item_view_hours where day < ${day} limit ${limit}
      ))`,
    await sql`
      delete from item_view_referers where ctid = any(array(
        select ctid from item_view_referers where day < ${day} limit ${limit}
      ))`,
  ];
  return removed.reduce((sum, { count }) => sum + count, 0);
}
