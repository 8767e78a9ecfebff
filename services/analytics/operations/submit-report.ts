import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { submitReport as contract } from '../../../shared/contracts/reports.ts';
import { announceItem } from '../../../shared/items/announce-item.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import { findItem, hideItemRow, toItemRecord } from '../../../shared/items/item-repository.ts';
import { changeItem } from '../../../shared/items/item-turns.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import type { AbuseEvent } from '../../../shared/notifications/messages.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import { countReporters } from '../repository/reported-items.ts';
import { insertReport } from '../repository/reports.ts';

type Report = InputOf<typeof contract>;

/**
 * Keeps a report for the operator. When it is the one that makes the reports of its item enough, it hides the item, in its
 * own transaction.
 * @throws TIMEOUT
 */
export async function submitReport(
  deps: Pick<
    AnalyticsDependencies,
    'sql' | 'turns' | 'clock' | 'cache' | 'bus' | 'log' | 'outbox' | 'reportsToHide' | 'announcementMissed'
  >,
  report: Report,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { clock, log } = deps;
  const reported = deps.reportsToHide === 0 ? null : itemOf(report);
  const keep = async (tx: Query) => {
    // First: of two reports at once the second one waits here, and counts the first.
    const item = reported === null ? null : await findItem(tx, reported, true);
    const now = clock.now();
    const receivedAt = await insertReport(tx, report, now);
    await deps.outbox.tell(tx, asEvent(report), report.reportId, now);
    if (item === null || item.hidden || item.expiresAt <= now) return { receivedAt, hidden: null };
    const reporters = await countReporters(tx, item);
    if (reporters < deps.reportsToHide) return { receivedAt, hidden: null };
    const actor = { clientIp: '', via: 'service', note: `${reporters} independent reports` } as const;
    const told = { namespace: item.namespace, id: item.id, type: item.kind };
    await deps.outbox.tell(
      tx,
      { type: 'item.hidden', data: { item: told, reporters } },
      report.reportId,
      now,
    );
    await recordDone(tx, context, 'hide-item', itemKey(item), actor, now);
    return { receivedAt, hidden: await hideItemRow(tx, item, true, now) };
  };
  const { receivedAt, hidden } = await (reported === null
    ? writeInTime(deps, context, 'a report', keep)
    : changeItem(deps, reported, context, 'a report', keep));
  if (hidden !== null) {
    await announceItem(deps, toItemRecord(hidden));
    log.warn(
      { requestId: context.requestId, item: itemKey(hidden) },
      'an item was hidden, as many reported it',
    );
  }
  return { reportId: report.reportId, receivedAt };
}

const itemOf = ({ namespace, id }: Report): ItemRef | null =>
  namespace === null || id === null ? null : { namespace, id };

function asEvent(report: Report): AbuseEvent {
  const { reportId, category, description, reportedUrl } = report;
  const data = { reportId, category, description, reportedUrl, item: itemOf(report) };
  return { type: 'report.created', data };
}
