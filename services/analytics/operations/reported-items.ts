import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/reports.ts';
import { REPORTS_PER_REVIEW } from '../../../shared/contracts/reports.ts';
import { itemKey } from '../../../shared/items/item.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import * as reported from '../repository/reported-items.ts';
import { countReports } from '../repository/reports.ts';

type Dependencies = Pick<AnalyticsDependencies, 'sql' | 'clock'>;

/** A part of the items with reports for the operator, and how many there are. */
export async function listReportedItems(
  { sql, clock }: Dependencies,
  { status, ...page }: InputOf<typeof contract.listReportedItems>,
): Promise<ReplyOf<typeof contract.listReportedItems>> {
  const [items, total] = await Promise.all([
    reported.listReportedItems(sql, status, page, clock.now()),
    reported.countReportedItems(sql, status),
  ]);
  return { items, total };
}

/** Reviews the new reports of an item; of two reviewers at once each gets what the other has left. @throws TIMEOUT */
export async function reviewReportedItem(
  deps: Dependencies,
  { namespace, id, actor, ...review }: InputOf<typeof contract.reviewReportedItem>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.reviewReportedItem>> {
  const item = { namespace, id };
  return await writeInTime(deps, context, 'a review', async (tx) => {
    const now = deps.clock.now();
    const reviewed = await reported.reviewNewReports(tx, item, review, REPORTS_PER_REVIEW, now);
    const target = `${itemKey(item)} ${review.status} ${reviewed} reports`;
    await recordDone(tx, context, 'review-reported-item', target, actor, now);
    return { reviewed, left: await countReports(tx, { status: 'new', item }) };
  });
}
