import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { readReport as contract } from '../../../shared/contracts/reports.ts';
import { errors } from '../../../shared/errors.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import { findReport } from '../repository/reports.ts';

/** One report for the operator. @throws NOT_FOUND */
export async function readReport(
  { sql }: Pick<AnalyticsDependencies, 'sql'>,
  { reportId }: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const report = await findReport(sql, reportId);
  if (report === null) throw errors.reportNotFound(reportId);
  return report;
}
