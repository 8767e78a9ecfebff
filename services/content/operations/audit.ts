import { insertAuditEntry } from '../../../shared/audit/audit-trail.ts';
import type * as contract from '../../../shared/contracts/audit.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { countAuditEntries, listAuditEntries } from '../repository/audit.ts';

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
