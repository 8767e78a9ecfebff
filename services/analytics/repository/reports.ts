import type { InputOf } from '../../../shared/contracts/operation.ts';
import type { Report, ReportStatus, reviewReport, submitReport } from '../../../shared/contracts/reports.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { Query } from '../../../shared/items/sql.ts';

const columns = (sql: Query) => sql`
  id as report_id, reported_url, category, description, reporter_email, namespace, item_id as id,
  resource_type, reporter_ip, reporter_user_agent, status, reviewer_note, received_at, reviewed_at`;

/** Inserts a report once, whatever the number of attempts, with the kind of its item. Returns when it was received first. */
export async function insertReport(
  sql: Query,
  report: InputOf<typeof submitReport>,
  now: number,
): Promise<number> {
  const { reportId, reportedUrl, category, description, reporterEmail, namespace, id } = report;
  const { reporterIp = null, reporterUserAgent = null, ownerHash = null } = report;
  const [row] = await sql<Array<{ receivedAt: number }>>`
    insert into reports (
      id, reported_url, category, description, reporter_email, namespace, item_id, received_at,
      reporter_ip, reporter_user_agent, reporter_network, resource_type, by_owner
    )
    values (
      ${reportId}, ${reportedUrl}, ${category}, ${description}, ${reporterEmail}, ${namespace}, ${id}, ${now},
      ${reporterIp}, ${reporterUserAgent}, network_of(${reporterIp}),
      coalesce((select kind from items where namespace = ${namespace} and id = ${id} and expires_at > ${now}), 'unknown'),
      coalesce((
        select owner_hash = ${ownerHash} or network_of(client_ip) = network_of(${reporterIp})
        from items where namespace = ${namespace} and id = ${id} and expires_at > ${now}
      ), false)
    )
    on conflict (id) do update set id = excluded.id
    returning received_at`;
  return row?.receivedAt ?? now;
}

/** A report's place in the list: behind it come older ones. */
export interface ReportPlace {
  createdAt: number;
  id: string;
}

/** Which reports are asked for; `null` leaves a field open. */
export interface ReportFilter {
  status: ReportStatus | null;
  item: ItemRef | null;
  /** Reports that were received later are left out. */
  until?: number | undefined;
}

/** Reports newest first, behind a place. */
export async function listReports(
  sql: Query,
  filter: ReportFilter,
  { after, offset, limit }: { after: ReportPlace | null; offset: number; limit: number },
): Promise<Report[]> {
  return await sql<Report[]>`
    select ${columns(sql)} from reports
    where true ${passing(sql, filter)}
      ${after === null ? sql`` : sql`and (received_at, reports.id) < (${after.createdAt}, ${after.id})`}
    order by received_at desc, reports.id desc offset ${offset} limit ${limit}`;
}

export async function countReports(sql: Query, filter: ReportFilter): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from reports where true ${passing(sql, filter)}`;
  return found?.count ?? 0;
}

const passing = (sql: Query, { status, item, until }: ReportFilter) => sql`
  ${until === undefined ? sql`` : sql`and received_at <= ${until}`}
  ${status === null ? sql`` : sql`and status = ${status}`}
  ${item === null ? sql`` : sql`and namespace = ${item.namespace} and item_id = ${item.id}`}`;

export async function findReport(sql: Query, reportId: string): Promise<Report | null> {
  const [report] = await sql<Report[]>`select ${columns(sql)} from reports where id = ${reportId}`;
  return report ?? null;
}

/** Changes what is given in one statement: of two reviewers at once the last one wins, field by field. */
export async function updateReview(
  sql: Query,
  { reportId, status: wanted, reviewerNote }: InputOf<typeof reviewReport>,
  now: number,
): Promise<Report | null> {
  const status = wanted ?? null;
  const noted = reviewerNote !== undefined;
  const [report] = await sql<Report[]>`
    update reports set
      status = coalesce(${status}, status),
      reviewer_note = case when ${noted}::boolean then ${reviewerNote ?? null}::text else reviewer_note end,
      reviewed_at = case when coalesce(${status}, status) = 'new' then null else ${now}::timestamptz end
    where id = ${reportId} returning ${columns(sql)}`;
  return report ?? null;
}
