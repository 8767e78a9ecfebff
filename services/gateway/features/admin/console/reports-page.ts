import { call } from '../../../../../shared/contracts/call.ts';
import { listReports, REPORT_STATUSES, type Report } from '../../../../../shared/contracts/reports.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { parseListQuery } from '../list-page.ts';
import { parseReportStatus } from '../review-input.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { badge, choiceField, filterForm, pager, stamp, table } from './parts.ts';

const PATH = '/admin/reports';
const PAGE = { default: 25, max: 100, id: null };

/** Abuse reports, those that nobody has looked at first. */
export async function reportsPage({ deps, context }: ConsoleRequest): Promise<ConsolePage> {
  const query = context.query();
  const { page, filter: status } = parseListQuery(query, PAGE, (_, issues) =>
    parseReportStatus((query.get('status') ?? 'new').trim() || null, issues),
  );
  const { offset, limit } = page;
  const { reports, total } = await call(
    deps.bus,
    listReports,
    { status, offset, limit },
    context.callContext,
  );
  const columns = ['Received', 'Reason', 'About', 'What the reporter says', 'Status'];
  const body = html`${filterForm(PATH, [choiceField('status', 'Status', 'All', REPORT_STATUSES, status)])}
${table('Reports', columns, reports.map(row), status === 'new' ? 'No report waits for a review.' : 'There is no such report.')}
${pager(PATH, query, { offset, limit, total })}`;
  return { title: 'Reports', body };
}

function row({
  reportId,
  receivedAt,
  category,
  namespace,
  id,
  reportedUrl,
  description,
  status,
}: Report): SafeHtml {
  const about = namespace !== null && id !== null ? `${namespace}/${id}` : reportedUrl;
  return html`<tr><td>${stamp(receivedAt)}</td><td>${category}</td><th scope="row"><a href="${PATH}/${reportId}">${about}</a></th><td class="console-text">${shortened(description)}</td><td>${statusBadge(status)}</td></tr>
`;
}

const shortened = (text: string): string =>
  text.length > 160 ? `${text.slice(0, 160).toWellFormed()}…` : text;

/** The state of a report. */
export const statusBadge = (status: Report['status']): SafeHtml =>
  badge(status, status === 'new' ? 'warn' : status === 'actioned' ? 'good' : 'plain');
