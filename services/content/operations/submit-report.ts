import type { submitReport as contract } from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { insertReport } from '../reports.ts';

/** Keeps a report for the operator. */
export async function submitReport(
  { sql, clock }: ContentDependencies,
  report: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  return { reportId: report.reportId, receivedAt: await insertReport(sql, report, clock.now()) };
}
