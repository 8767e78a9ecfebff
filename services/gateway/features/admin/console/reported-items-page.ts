import { call } from '../../../../../shared/contracts/call.ts';
import {
  listReportedItems,
  REPORT_STATUSES,
  type ReportedItem,
} from '../../../../../shared/contracts/reports.ts';
import { itemKey } from '../../../../../shared/items/item.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { parseListQuery } from '../list-page.ts';
import { parseReportStatus } from '../review-input.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { actionForm, addressWith, badge, choiceField, filterForm, hidden, pager, table } from './parts.ts';
import type { Words } from './words.ts';

const PATH = '/admin/reports';
const PAGE = { default: 25, max: 100, id: null };

/** Reports by the item that they are about, those that nobody has reviewed first. */
export async function reportedItemsPage(request: ConsoleRequest): Promise<ConsolePage> {
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
  items.map((item) => row(request, item)),
  status === 'new' ? texts.noneNew : texts.none,
)}
${pager(words, PATH, query, { offset, limit, total })}`;
  return { title: sections.reports, body };
}

function row({ context, operator, words }: ConsoleRequest, item: ReportedItem): SafeHtml {
  const { reports: texts, common, states } = words.texts;
  const key = itemKey(item);
  const back = addressWith(PATH, context.query(), {});
  const act = (action: string, label: string, danger = false): SafeHtml =>
    actionForm(operator, action, label, { item: key, reports: 'all', back }, { name: key, danger });
  const hide = item.state === 'hidden' ? act('show', common.show) : act('hide', common.hide);
  const ofItem = `${PATH}?${new URLSearchParams({ item: key, status: '' })}`;
  return html`<tr><th scope="row"><a href="${ofItem}">${key}</a></th><td class="end">${words.number(item.reports)}</td><td class="end">${words.number(item.newReports)}</td><td class="end">${words.number(item.reporters)}</td><td>${reasons(item, words)}</td><td>${words.stamp(item.lastReceivedAt)}</td>
<td>${item.state === 'gone' ? badge(texts.gone) : badge(states[item.state], item.state === 'hidden' ? 'warn' : 'plain')}</td>
<td><div class="console-acts">${item.newReports > 0 ? act('dismiss', common.dismiss) : null}${item.state === 'gone' ? (item.newReports > 0 ? act('settle', texts.settle) : null) : html`${hide}${act('take-down', common.takeDown, true)}`}</div></td></tr>
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
