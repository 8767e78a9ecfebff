import type { KindTotals } from '../../../shared/contracts/stats.ts';
import type { Query } from '../../../shared/items/sql.ts';

export async function hasDeltas(sql: Query): Promise<boolean> {
  const [found] = await sql<Array<{ exists: boolean }>>`select exists (select from item_deltas)`;
  return found?.exists ?? false;
}

/** Moves some deltas into the totals of their quarters of an hour, and into the history. Returns how many. */
export async function foldDeltas(sql: Query, limit: number): Promise<number> {
  const [folded] = await sql<Array<{ count: number }>>`
    with taken as (
      delete from item_deltas where ctid = any(array(select ctid from item_deltas limit ${limit})) returning *
    ), added as (
      insert into item_totals as total (quarter_hour, kind, public, created, deleted, views, bytes)
      select date_bin('15 minutes', at, 'epoch'), kind, public, sum(created), sum(deleted), sum(views), sum(bytes)
      from taken group by 1, 2, 3
      ${addToTotals(sql)}
    ), noted as (
      insert into item_history as past (hour, kind, created, deleted, views, bytes)
      select date_bin('1 hour', at, 'epoch'), kind, sum(created), sum(deleted), sum(views), sum(bytes)
      from taken group by 1, 2
      on conflict (hour, kind) do update
      set created = past.created + excluded.created, deleted = past.deleted + excluded.deleted,
          views = past.views + excluded.views, bytes = past.bytes + excluded.bytes
    )
    select count(*) from taken`;
  return folded?.count ?? 0;
}

/** Moves quarters of an hour from before a moment into one row for each kind. */
export async function foldOldQuarters(sql: Query, before: number): Promise<void> {
  await sql`
    with taken as (
      delete from item_totals where quarter_hour > '-infinity' and quarter_hour < ${before} returning *
    )
    insert into item_totals as total (quarter_hour, kind, public, created, deleted, views, bytes)
    select '-infinity', kind, public, sum(created), sum(deleted), sum(views), sum(bytes)
    from taken group by kind, public
    ${addToTotals(sql)}`;
}

const addToTotals = (sql: Query) => sql`
  on conflict (quarter_hour, kind, public) do update
  set created = total.created + excluded.created, deleted = total.deleted + excluded.deleted,
      views = total.views + excluded.views, bytes = total.bytes + excluded.bytes`;

/** The totals of each kind that has any, listed items and others apart; today began at a quarter of an hour. */
export async function sumTotals(sql: Query, todayFrom: number): Promise<KindTotals[]> {
  return await sql<KindTotals[]>`
    select kind, public, sum(bytes)::bigint as bytes,
      sum(created)::bigint as created, coalesce(sum(created) filter (where is_today), 0)::bigint as created_today,
      sum(deleted)::bigint as deleted, coalesce(sum(deleted) filter (where is_today), 0)::bigint as deleted_today,
      sum(views)::bigint as views, coalesce(sum(views) filter (where is_today), 0)::bigint as views_today
    from (
      select quarter_hour >= ${todayFrom} as is_today, kind, public, created, deleted, views, bytes from item_totals
      union all
      select at >= ${todayFrom}, kind, public, created, deleted, views, bytes from item_deltas
    ) as dated
    group by kind, public`;
}
