import type { AuditAction, AuditEntry } from '../../../shared/contracts/audit.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** Entries of an action, or of any, newest first, behind a place. */
export async function listAuditEntries(
  sql: Query,
  action: AuditAction | null,
  {
    after,
    offset,
    limit,
  }: { after: { createdAt: number; id: number } | null; offset: number; limit: number },
): Promise<AuditEntry[]> {
  return await sql<AuditEntry[]>`
    select id, created_at, request_id, action, target, client_ip, via, note, outcome from audit_trail
    where true ${ofAction(sql, action)}
      ${after === null ? sql`` : sql`and (created_at, id) < (${after.createdAt}, ${after.id})`}
    order by created_at desc, id desc offset ${offset} limit ${limit}`;
}

export async function countAuditEntries(sql: Query, action: AuditAction | null): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from audit_trail where true ${ofAction(sql, action)}`;
  return found?.count ?? 0;
}

const ofAction = (sql: Query, action: AuditAction | null) =>
  action === null ? sql`` : sql`and action = ${action}`;
