import type { Kind } from '../../../shared/items/item.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** Changes of a kind in a span of time. */
export interface HistoryRow {
  /** The span's place, from 0. */
  span: number;
  kind: Kind;
  created: number;
  deleted: number;
  views: number;
  /** By how much what is stored has grown. */
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
