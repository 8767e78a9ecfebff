import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { submitReport as contract } from '../../../shared/contracts/reports.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import { insertReport } from '../repository/reports.ts';

/** Keeps a report for the operator. @throws TIMEOUT */
export async function submitReport(
  deps: Pick<AnalyticsDependencies, 'sql' | 'clock'>,
  report: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const receivedAt = await writeInTime(deps, context, 'a report', (tx) =>
    insertReport(tx, report, deps.clock.now()),
  );
  return { reportId: report.reportId, receivedAt };
}
