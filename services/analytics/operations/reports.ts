import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/reports.ts';
import { REPORTS_PER_REVIEW } from '../../../shared/contracts/reports.ts';
import { errors } from '../../../shared/errors.ts';
import { itemKey } from '../../../shared/items/item.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import * as reported from '../repository/reported-items.ts';
import { countReports, findReport, listReports as findReports, updateReview } from '../repository/reports.ts';

/** A part of the reports for the operator, newest first, and how many there are. */
export async function listReports(
  { sql }: Pick<AnalyticsDependencies, 'sql'>,
  { status, item = null, ...page }: InputOf<typeof contract.listReports>,
): Promise<ReplyOf<typeof contract.listReports>> {
  const { after = null, offset, limit } = page;
  const filter = { status, item };
  const [found, total] = await Promise.all([
    findReports(sql, filter, { after, offset, limit: limit + 1 }),
    countReports(sql, filter),
  ]);
  return { reports: found.slice(0, limit), total, more: found.length > limit };
}

/** One report for the operator. @throws NOT_FOUND */
export async function readReport(
  { sql }: Pick<AnalyticsDependencies, 'sql'>,
  { reportId }: InputOf<typeof contract.readReport>,
): Promise<ReplyOf<typeof contract.readReport>> {
  const report = await findReport(sql, reportId);
  if (report === null) throw errors.reportNotFound(reportId);
  return report;
}

/** Notes what the operator makes of a report. @throws NOT_FOUND, TIMEOUT */
export async function reviewReport(
  deps: Pick<AnalyticsDependencies, 'sql' | 'clock'>,
  { actor, ...review }: InputOf<typeof contract.reviewReport>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.reviewReport>> {
  return await writeInTime(deps, context, 'a review', async (tx) => {
    const now = deps.clock.now();
    const report = await updateReview(tx, review, now);
    if (report === null) throw errors.reportNotFound(review.reportId);
    await recordDone(tx, context, 'review-report', `${review.reportId} ${report.status}`, actor, now);
    return report;
  });
}

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
    return { reviewed, left: await countReports(tx, { status: 'new', item, until: review.until }) };
  });
}
