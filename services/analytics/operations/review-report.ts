import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { reviewReport as contract } from '../../../shared/contracts/reports.ts';
import { errors } from '../../../shared/errors.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import { updateReview } from '../repository/reports.ts';

/** Notes what the operator makes of a report. @throws NOT_FOUND */
export async function reviewReport(
  { sql, clock }: Pick<AnalyticsDependencies, 'sql' | 'clock'>,
  review: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const report = await updateReview(sql, review, clock.now());
  if (report === null) throw errors.reportNotFound(review.reportId);
  return report;
}
