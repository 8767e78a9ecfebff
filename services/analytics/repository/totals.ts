import type { KindTotals } from '../../../shared/contracts/stats.ts';
import type { Kind } from '../../../shared/items/item.ts';
import type { Query } from '../../../shared/items/sql.ts';

export async function hasDeltas(sql: Query): Promise<boolean> {
  const [found] = await sql<Array<{ exists: boolean }>>`
    select exists (select from item_deltas) or exists (select from tag_deltas) as exists`;
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

/** Moves some changes of how many listed items have a tag into the totals of tags. Returns how many. */
export async function foldTagDeltas(sql: Query, limit: number): Promise<number> {
  const [folded] = await sql<Array<{ count: number }>>`
    with taken as (
      delete from tag_deltas where ctid = any(array(select ctid from tag_deltas limit ${limit})) returning *
    ), added as (
      insert into tag_totals as total (tag, kind, listed)
      select tag, kind, sum(listed) from taken group by tag, kind having sum(listed) <> 0
      on conflict (tag, kind) do update set listed = total.listed + excluded.listed
    )
    select count(*) from taken`;
  await sql`delete from tag_totals where listed = 0`;
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

/** Changes of a kind in a span of time. */
interface HistoryRow {
  /** The span's place, from 0. */
  span: number;
  kind: Kind;
  created: number;
  deleted: number;
  views: number;
  /** Bytes by which what is stored has grown. */
  bytes: number;
}

/** Changes by span and kind since a full hour; what clocks put behind the last span belongs to that one. */
export async function changesBySpan(
  sql: Query,
  { from, spanMs, count }: { from: number; spanMs: number; count: number },
): Promise<HistoryRow[]> {
  return await sql<HistoryRow[]>`
    select least(floor(extract(epoch from at - ${from}::timestamptz) * 1000 / ${spanMs}), ${count - 1})::int as span, kind,
      sum(created)::bigint as created, sum(deleted)::bigint as deleted, sum(views)::bigint as views,
      sum(bytes)::bigint as bytes
    from (
      select hour as at, kind, created, deleted, views, bytes from item_history where hour >= ${from}
      union all
      select at, kind, created, deleted, views, bytes from item_deltas where at >= ${from}
    ) as past
    group by 1, 2`;
}

/** Bytes that are stored now, by kind. */
export async function storedByKind(sql: Query): Promise<Array<{ kind: Kind; bytes: number }>> {
  return await sql<Array<{ kind: Kind; bytes: number }>>`
    select kind, sum(bytes)::bigint as bytes
    from (select kind, bytes from item_totals union all select kind, bytes from item_deltas) as total group by kind`;
}

/** Forgets hours from before a moment. */
export async function forgetHistory(sql: Query, before: number): Promise<void> {
  await sql`delete from item_history where hour < ${before}`;
}
