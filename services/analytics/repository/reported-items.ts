import type { ReportedItem, ReportStatus } from '../../../shared/contracts/reports.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** Items that have reports, of a status or of any, those that were reported last first. */
export async function listReportedItems(
  sql: Query,
  status: ReportStatus | null,
  { offset, limit }: { offset: number; limit: number },
  now: number,
): Promise<ReportedItem[]> {
  return await sql<ReportedItem[]>`
    with page as (
      select namespace, item_id, count(*)::int as reports,
        count(*) filter (where status = 'new')::int as new_reports,
        count(distinct reporter_network) filter (where not by_owner)::int as reporters,
        min(received_at) as first_received_at, max(received_at) as last_received_at,
        (array_agg(resource_type order by received_at desc))[1] as resource_type
      from reports where item_id is not null
      group by namespace, item_id
      ${status === null ? sql`` : sql`having bool_or(status = ${status})`}
      order by max(received_at) desc, namespace, item_id offset ${offset} limit ${limit}
    )
    select page.namespace, page.item_id as id, coalesce(items.kind, page.resource_type) as kind,
      case when items.id is null then 'gone' when items.hidden then 'hidden' else 'live' end as state,
      items.quarantine is not null as quarantined,
      reports, new_reports, reporters, first_received_at, last_received_at,
      (
        select jsonb_object_agg(category, amount) from (
          select category, count(*) as amount from reports
          where reports.namespace = page.namespace and reports.item_id = page.item_id group by category
        ) counted
      ) as categories
    from page left join items
      on items.namespace = page.namespace and items.id = page.item_id and items.expires_at > ${now}
    order by last_received_at desc, page.namespace, page.item_id`;
}

export async function countReportedItems(sql: Query, status: ReportStatus | null): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from (
      select from reports where item_id is not null ${status === null ? sql`` : sql`and status = ${status}`}
      group by namespace, item_id
    ) items`;
  return found?.count ?? 0;
}

/**
 * Sets the status of an item's new reports, up to so many, the oldest first, none received after `until`; a note that
 * is given, too. Returns how many.
 */
export async function reviewNewReports(
  sql: Query,
  { namespace, id }: ItemRef,
  { status, reviewerNote, until }: { status: ReportStatus; reviewerNote?: string | null; until?: number },
  limit: number,
  now: number,
): Promise<number> {
  const noted = reviewerNote !== undefined;
  const { count } = await sql`
    update reports set status = ${status}, reviewed_at = ${now},
      reviewer_note = case when ${noted}::boolean then ${reviewerNote ?? null}::text else reviewer_note end
    where id in (
      select id from reports where namespace = ${namespace} and item_id = ${id} and status = 'new'
        ${until === undefined ? sql`` : sql`and received_at <= ${until}`}
      order by received_at, id limit ${limit} for update
    )`;
  return count;
}

/**
 * Networks that have reported a live item which is not hidden, without those of its owner and of reports that were dismissed. Only
 * what came after its create counts, and after the operator last showed or released it.
 */
export async function countReporters(sql: Query, { namespace, id }: ItemRef): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(distinct reporter_network) as count from reports join items
      on items.namespace = reports.namespace and items.id = reports.item_id
    where reports.namespace = ${namespace} and reports.item_id = ${id} and not by_owner and status <> 'dismissed'
      and received_at >= greatest(items.created_at, items.moderated_at)`;
  return found?.count ?? 0;
}
