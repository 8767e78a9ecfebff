import type { CallContext } from '../call-context.ts';
import type { Actor, AuditAction, AuditRecord } from '../contracts/audit.ts';
import type { Query } from '../items/sql.ts';

/**
 * Adds an entry to the audit trail, in the transaction of the action, so that there is never one without the other. A
 * repeated attempt of one request adds none.
 */
export async function insertAuditEntry(
  sql: Query,
  { requestId }: Pick<CallContext, 'requestId'>,
  { action, target, outcome }: AuditRecord,
  { clientIp, via, note }: Actor,
  now: number,
): Promise<void> {
  await sql`
    insert into audit_trail (created_at, request_id, action, target, client_ip, via, note, outcome)
    values (${now}, ${requestId}, ${action}, ${target}, ${clientIp}, ${via}, ${note}, ${outcome})
    on conflict (request_id, action, target, outcome) do nothing`;
}

/** Adds an entry for an action that takes place in this transaction. Gateways of earlier releases name no actor. */
export async function recordDone(
  sql: Query,
  context: Pick<CallContext, 'requestId'>,
  action: AuditAction,
  target: string,
  actor: Actor | undefined,
  now: number,
): Promise<void> {
  if (actor === undefined) return;
  await insertAuditEntry(sql, context, { action, target, outcome: 'done' }, actor, now);
}
