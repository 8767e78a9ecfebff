import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { submitReport as contract } from '../../../shared/contracts/reports.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import { insertReport } from '../repository/reports.ts';

/** Keeps a report for the operator. */
export async function submitReport(
  { sql, clock }: Pick<AnalyticsDependencies, 'sql' | 'clock'>,
  report: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  return { reportId: report.reportId, receivedAt: await insertReport(sql, report, clock.now()) };
}
