import type { Query } from '../../../shared/items/sql.ts';
import type { RollUps } from '../roll-ups.ts';
import { dateOf, dayOf, HOUR_MS } from '../utc-days.ts';

/** Hosts of an item and day that are counted each by itself: whoever makes hosts up must not fill the table. */
export const HOSTS_PER_DAY = 200;

/** Stands for all hosts beyond those. */
export const OTHER_HOSTS = '';

/**
 * Adds the views of items that are still there. The caller holds the lock of the roll-ups: hosts are counted here before some
 * are added, and rows are removed under the same lock.
 */
export async function addItemViews(
  sql: Query,
  { views, referers }: Pick<RollUps, 'views' | 'referers'>,
): Promise<void> {
  if (views.length === 0) return;
  const days = views.map(({ hour }) => dateOf(dayOf(hour)));
  await sql`
    insert into item_view_hours (day, code, hour, views)
    select day::date, code, hour, views from unnest(
      ${days}::text[], ${views.map(({ code }) => code)}::text[],
      ${views.map(({ hour }) => (hour - dayOf(hour)) / HOUR_MS)}::smallint[],
      ${views.map(({ requests }) => requests)}::bigint[]
    ) as added (day, code, hour, views)
    where exists (select from items where items.code = added.code)
    on conflict (day, code, hour) do update set views = item_view_hours.views + excluded.views`;
  if (referers.length === 0) return;
  await sql`
    with added as (
      select day::date, code, host, views from unnest(
        ${referers.map(({ day }) => day)}::text[], ${referers.map(({ code }) => code)}::text[],
        ${referers.map(({ host }) => host)}::text[], ${referers.map(({ requests }) => requests)}::bigint[]
      ) as added (day, code, host, views)
      where exists (select from items where items.code = added.code)
    ), known as (
      select day, code, count(*) as hosts from item_view_referers
      where (day, code) in (select day, code from added) group by day, code
    ), placed as (
      select added.*, row.host is not null as is_known, coalesce(known.hosts, 0) + row_number() over (
          partition by day, code, row.host is not null order by added.views desc, added.host
        ) as place
      from added left join known using (day, code) left join item_view_referers as row using (day, code, host)
    )
    insert into item_view_referers (day, code, host, views)
    select day, code, case when is_known or place <= ${HOSTS_PER_DAY} then host else ${OTHER_HOSTS} end, sum(views)
    from placed group by 1, 2, 3
    on conflict (day, code, host) do update set views = item_view_referers.views + excluded.views`;
}

/** Views of an item by the hour, of days (as `2026-11-21`) that have any. */
export async function viewsByHour(
  sql: Query,
  code: string,
  days: readonly string[],
): Promise<Array<{ day: string; hour: number; views: number }>> {
  return await sql<Array<{ day: string; hour: number; views: number }>>`
    select day::text as day, hour::int as hour, views from item_view_hours
    where day = any(${[...days]}::text[]::date[]) and code = ${code}`;
}

/** The hosts that an item's readers came from on some days, most views first; all that have no row come as `''`. */
export async function viewsByHost(
  sql: Query,
  code: string,
  days: readonly string[],
): Promise<Array<{ host: string; views: number }>> {
  return await sql<Array<{ host: string; views: number }>>`
    select host, sum(views)::bigint as views from item_view_referers
    where day = any(${[...days]}::text[]::date[]) and code = ${code}
    group by host order by 2 desc, host collate "C"`;
}

/** Some items that are gone. */
export async function goneItems(sql: Query, limit: number): Promise<string[]> {
  const rows = await sql<Array<{ code: string }>>`select code from item_views_to_forget limit ${limit}`;
  return rows.map(({ code }) => code);
}

/** Removes some rows of items that are gone, on these days; returns how many. Under the lock of the roll-ups. */
export async function forgetViewsOf(
  sql: Query,
  codes: readonly string[],
  days: readonly string[],
  limit: number,
): Promise<number> {
  const within = sql`day = any(${[...days]}::text[]::date[]) and code = any(${[...codes]}::text[])`;
  const hours = await sql`
    delete from item_view_hours where ctid = any(array(
      select ctid from item_view_hours where ${within} limit ${limit}
    ))`;
  const hosts = await sql`
    delete from item_view_referers where ctid = any(array(
      select ctid from item_view_referers where ${within} limit ${limit}
    ))`;
  return hours.count + hosts.count;
}

/** Forgets items of which no rows are left; called in the transaction that removed them. */
export async function forgetGoneItems(sql: Query, codes: readonly string[]): Promise<void> {
  await sql`delete from item_views_to_forget where code = any(${[...codes]}::text[])`;
}
