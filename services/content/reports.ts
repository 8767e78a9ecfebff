import type { submitReport } from '../../shared/contracts/content.ts';
import type { InputOf } from '../../shared/contracts/operation.ts';
import type { Query } from '../../shared/items/sql.ts';

/** Inserts a report once, whatever the number of attempts. Returns when it was received first. */
export async function insertReport(
  sql: Query,
  report: InputOf<typeof submitReport>,
  now: number,
): Promise<number> {
  const { reportId, reportedUrl, category, description, reporterEmail, namespace, id } = report;
  const [row] = await sql<Array<{ receivedAt: number }>>`
    insert into reports (id, reported_url, category, description, reporter_email, namespace, item_id, received_at)
    values (${reportId}, ${reportedUrl}, ${category}, ${description}, ${reporterEmail}, ${namespace}, ${id}, ${now})
    on conflict (id) do update set id = excluded.id
    returning received_at`;
  return row?.receivedAt ?? now;
}
