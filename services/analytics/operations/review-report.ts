import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { reviewReport as contract } from '../../../shared/contracts/reports.ts';
import { errors } from '../../../shared/errors.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import { updateReview } from '../repository/reports.ts';

/** Notes what the operator makes of a report. @throws NOT_FOUND, TIMEOUT */
export async function reviewReport(
  deps: Pick<AnalyticsDependencies, 'sql' | 'clock'>,
  { actor, ...review }: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  return await writeInTime(deps, context, 'a review', async (tx) => {
    const now = deps.clock.now();
    const report = await updateReview(tx, review, now);
    if (report === null) throw errors.reportNotFound(review.reportId);
    await recordDone(tx, context, 'review-report', `${review.reportId} ${report.status}`, actor, now);
    return report;
  });
}
