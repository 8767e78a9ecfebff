import { call } from '../../../../../shared/contracts/call.ts';
import { listReports, REPORT_STATUSES, type Report } from '../../../../../shared/contracts/reports.ts';
import { itemKey } from '../../../../../shared/items/item.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { parseListQuery } from '../list-page.ts';
import { parseReportFilter } from '../review-input.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { badge, choiceField, filterForm, pager, table, textField } from './parts.ts';
import { reportedItemsPage } from './reported-items-page.ts';
import type { Words } from './words.ts';

const PATH = '/admin/reports';
const PAGE = { default: 25, max: 100, id: null };

/** Abuse reports, those that nobody has looked at first. */
export async function reportsPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context, words } = request;
  if (context.query().get('by') === 'item') return await reportedItemsPage(request);
  const { reports: texts, common, sections, statuses } = words.texts;
  const query = context.query();
  const { page, filter } = parseListQuery(query, PAGE, (_, issues) =>
    parseReportFilter(query, issues, 'new'),
  );
  const { status, item } = filter;
  const { offset, limit } = page;
  const { reports, total } = await call(
    deps.bus,
    listReports,
    { status, item, offset, limit },
    context.callContext,
  );
  const columns = [texts.received, common.reason, texts.about, texts.description, common.status];
  const choices = REPORT_STATUSES.map((one) => [one, statuses[one]] as const);
  const about = item === null ? '' : itemKey(item);
  const fields = [
    choiceField('status', common.status, texts.all, choices, status),
    textField('item', common.item, about, { placeholder: 'public/Ab3dE6gH9k' }),
  ];
  const body = html`<p><a href="${PATH}?by=item">${texts.byItem}</a></p>
${filterForm(words, PATH, fields)}
${table(
  sections.reports,
  columns,
  reports.map((report) => row(report, words)),
  status === 'new' ? texts.noneNew : texts.none,
)}
${pager(words, PATH, query, { offset, limit, total })}`;
  return { title: sections.reports, body };
}

function row(report: Report, words: Words): SafeHtml {
  const { reportId, receivedAt, category, namespace, id, reportedUrl, description, status } = report;
  const about = namespace !== null && id !== null ? `${namespace}/${id}` : reportedUrl;
  return html`<tr><td>${words.stamp(receivedAt)}</td><td>${words.categories[category] ?? category}</td><th scope="row"><a href="${PATH}/${reportId}">${about}</a></th><td class="console-text">${shortened(description)}</td><td>${statusBadge(status, words)}</td></tr>
`;
}

const shortened = (text: string): string =>
  text.length > 160 ? `${text.slice(0, 160).toWellFormed()}…` : text;

/** The state of a report. */
export const statusBadge = (status: Report['status'], { texts }: Words): SafeHtml =>
  badge(texts.statuses[status], status === 'new' ? 'warn' : status === 'actioned' ? 'good' : 'plain');
