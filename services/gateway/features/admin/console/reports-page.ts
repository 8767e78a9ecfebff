import { call } from '../../../../../shared/contracts/call.ts';
import {
  listReportedItems,
  listReports,
  REPORT_STATUSES,
  type Report,
  type ReportedItem,
} from '../../../../../shared/contracts/reports.ts';
import { itemKey } from '../../../../../shared/items/item.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { instant } from '../../../items/serializer.ts';
import { parseListQuery } from '../list-page.ts';
import { stateOf } from '../reported-items.ts';
import { parseReportFilter, parseReportStatus } from '../review-input.ts';
import { addressOf, type ConsolePage, type ConsoleRequest } from './frame.ts';
import {
  actionForm,
  addressWith,
  badge,
  choiceField,
  filterForm,
  hidden,
  pager,
  table,
  textField,
} from './parts.ts';
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
  const columns = [texts.about, texts.received, common.reason, common.status, texts.description];
  const choices = REPORT_STATUSES.map((one) => [one, statuses[one]] as const);
  const about = item === null ? '' : itemKey(item);
  const fields = [
    choiceField('status', common.status, texts.all, choices, status),
    textField('item', common.item, about, 'public/Ab3dE6gH9k'),
  ];
  const body = html`<p><a href="${PATH}?by=item">${texts.byItem}</a></p>
${filterForm(words, PATH, fields)}
${table(
  sections.reports,
  columns,
  reports.map((report) => reportRow(report, words)),
  status === 'new' ? texts.noneNew : texts.none,
  true,
)}
${pager(words, PATH, query, { offset, limit, total })}`;
  return { title: sections.reports, body };
}

function reportRow(report: Report, words: Words): SafeHtml {
  const { reportId, receivedAt, category, namespace, id, reportedUrl, description, status } = report;
  const about = namespace !== null && id !== null ? `${namespace}/${id}` : reportedUrl;
  return html`<tr><th scope="row"><a href="${PATH}/${reportId}">${about}</a></th><td>${words.stamp(receivedAt)}</td><td>${words.categories[category] ?? category}</td><td>${statusBadge(status, words)}</td><td class="console-text">${shortened(description)}</td></tr>
`;
}

const shortened = (text: string): string =>
  text.length > 160 ? `${text.slice(0, 160).toWellFormed()}…` : text;

/** The state of a report. */
export const statusBadge = (status: Report['status'], { texts }: Words): SafeHtml =>
  badge(texts.statuses[status], status === 'new' ? 'warn' : status === 'actioned' ? 'good' : 'plain');

/** Reports by the item that they are about, those that nobody has reviewed first. */
async function reportedItemsPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context, words } = request;
  const { reports: texts, common, sections, statuses } = words.texts;
  const query = context.query();
  const { page, filter: status } = parseListQuery(query, PAGE, (_, issues) =>
    parseReportStatus((query.get('status') ?? 'new').trim() || null, issues),
  );
  const { offset, limit } = page;
  const input = { status, offset, limit };
  const { items, total } = await call(deps.bus, listReportedItems, input, context.callContext);
  const columns = [
    ...[common.item, texts.count, texts.fresh, texts.reporters, common.reason],
    ...[texts.last, common.state, common.change],
  ];
  const choices = REPORT_STATUSES.map((one) => [one, statuses[one]] as const);
  const fields = [
    html`${hidden({ by: 'item' })}`,
    choiceField('status', common.status, texts.all, choices, status),
  ];
  const body = html`<p><a href="${PATH}">${texts.each}</a></p>
${filterForm(words, PATH, fields)}
${table(
  sections.reports,
  columns,
  items.map((item) => itemRow(request, item)),
  status === 'new' ? texts.noneNew : texts.none,
)}
${pager(words, PATH, query, { offset, limit, total })}`;
  return { title: sections.reports, body };
}

function itemRow({ context, operator, words }: ConsoleRequest, item: ReportedItem): SafeHtml {
  const { reports: texts, common, states, scans } = words.texts;
  const key = itemKey(item);
  const back = addressWith(PATH, context.query(), {});
  // Reports that arrive while the page is read stay new.
  const fields = { item: key, reports: 'all', until: instant(item.lastReceivedAt), back };
  const act = (action: string, label: string, danger = false): SafeHtml =>
    actionForm(operator, action, label, fields, { name: key, danger });
  const state = stateOf(item);
  const hide = state === 'hidden' ? act('show', common.show) : act('hide', common.hide);
  // Shown again it would stay in quarantine: it is released there.
  const release =
    state === 'quarantined'
      ? html`<a class="console-button" href="${addressOf('scans')}">${scans.found}</a>`
      : null;
  const ofItem = `${PATH}?${new URLSearchParams({ item: key, status: '' })}`;
  return html`<tr><th scope="row"><a href="${ofItem}">${key}</a></th><td class="end">${words.number(item.reports)}</td><td class="end">${words.number(item.newReports)}</td><td class="end">${words.number(item.reporters)}</td><td>${reasons(item, words)}</td><td>${words.stamp(item.lastReceivedAt)}</td>
<td>${state === 'gone' ? badge(texts.gone) : badge(states[state], state === 'hidden' ? 'warn' : 'plain')}</td>
<td><div class="console-acts">${item.newReports > 0 ? act('dismiss', common.dismiss) : null}${state === 'gone' ? (item.newReports > 0 ? act('settle', texts.settle) : null) : html`${release}${hide}${act('take-down', common.takeDown, true)}`}</div></td></tr>
`;
}

/** The categories, the most frequent first. */
const reasons = ({ categories }: ReportedItem, words: Words): string =>
  Object.entries(categories)
    .toSorted(([, one], [, other]) => other - one)
    .map(([category, amount]) => {
      const name = Object.entries(words.categories).find(([known]) => known === category)?.[1] ?? category;
      return `${name} (${words.number(amount)})`;
    })
    .join(', ');
