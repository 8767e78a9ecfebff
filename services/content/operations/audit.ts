import { insertAuditEntry } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type * as contract from '../../../shared/contracts/audit.ts';
import type { AuditAction, AuditEntry } from '../../../shared/contracts/audit.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { ContentDependencies } from '../dependencies.ts';

type Dependencies = Pick<ContentDependencies, 'sql' | 'clock'>;

/** Keeps an action of the operator that failed. */
export async function recordAttempt(
  { sql, clock }: Dependencies,
  { actor, ...record }: InputOf<typeof contract.recordAttempt>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.recordAttempt>> {
  await insertAuditEntry(sql, context, record, actor, clock.now());
  return {};
}

/** A part of the audit trail, newest first, and how many entries there are. */
export async function listAudit(
  { sql }: Pick<ContentDependencies, 'sql'>,
  { action, ...page }: InputOf<typeof contract.listAudit>,
): Promise<ReplyOf<typeof contract.listAudit>> {
  const [found, total] = await Promise.all([
    listAuditEntries(sql, action, { ...page, limit: page.limit + 1 }),
    countAuditEntries(sql, action),
  ]);
  return { entries: found.slice(0, page.limit), total, more: found.length > page.limit };
}

/** Entries of an action, or of any, newest first, behind a place. */
async function listAuditEntries(
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

async function countAuditEntries(sql: Query, action: AuditAction | null): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from audit_trail where true ${ofAction(sql, action)}`;
  return found?.count ?? 0;
}

const ofAction = (sql: Query, action: AuditAction | null) =>
  action === null ? sql`` : sql`and action = ${action}`;
