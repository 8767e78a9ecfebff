import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { listReports as contract } from '../../../shared/contracts/reports.ts';
import type { AnalyticsDependencies } from '../dependencies.ts';
import { countReports, listReports as findReports } from '../repository/reports.ts';

/** A part of the reports for the operator, newest first, and how many there are. */
export async function listReports(
  { sql }: Pick<AnalyticsDependencies, 'sql'>,
  { status, item = null, ...page }: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const { after = null, offset, limit } = page;
  const filter = { status, item };
  const [found, total] = await Promise.all([
    findReports(sql, filter, { after, offset, limit: limit + 1 }),
    countReports(sql, filter),
  ]);
  return { reports: found.slice(0, limit), total, more: found.length > limit };
}
