import { call } from '../../../../../shared/contracts/call.ts';
import {
  ITEM_STATES,
  listPublications,
  type Publication,
} from '../../../../../shared/contracts/publications.ts';
import { itemKey, KINDS } from '../../../../../shared/items/item.ts';
import { formatSize } from '../../../../../shared/pages/format-size.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { currentViews } from '../../../items/current-views.ts';
import { parseListQuery } from '../list-page.ts';
import { parsePublicationFilter } from '../publication-filter.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import {
  actionForm,
  addressWith,
  badge,
  choiceField,
  filterForm,
  number,
  pager,
  stamp,
  table,
  textField,
} from './parts.ts';

const PATH = '/admin/publications';
const PAGE = { default: 50, max: 200, id: null };
const COLUMNS = ['Item', 'Kind', 'Size', 'Views', 'State', 'Created', 'Owner', 'From', 'Change'];

/** Every item of the server, newest first. */
export async function publicationsPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context } = request;
  const query = context.query();
  const { page, filter } = parseListQuery(query, PAGE, parsePublicationFilter);
  const { offset, limit } = page;
  const input = { filter, offset, limit };
  const { publications, total } = await call(deps.bus, listPublications, input, context.callContext);
  const views = await currentViews(deps.cache, publications);
  const rows = publications.map((item, index) => row(request, item, views[index] ?? 0));
  const body = html`${filterForm(PATH, [
    choiceField('type', 'Kind', 'Any kind', KINDS, filter.kind),
    choiceField('state', 'State', 'Any state', ITEM_STATES, filter.state),
    textField('namespace', 'Namespace', filter.namespace),
    textField('id', 'Id', filter.id),
    textField('owner', 'Owner', filter.ownerId ?? null, { placeholder: 'SHA-256 of the token' }),
    textField('ip', 'Published from', filter.clientIp ?? null, { placeholder: '192.0.2.1' }),
  ])}
${table('Publications', COLUMNS, rows, 'No item passes this filter.')}
${pager(PATH, query, { offset, limit, total: total.count, isLowerBound: total.isLowerBound })}`;
  return { title: 'Publications', body };
}

function row({ deps, context, operator }: ConsoleRequest, item: Publication, views: number): SafeHtml {
  const key = itemKey(item);
  const query = context.query();
  const base = deps.config.contentBaseUrl ?? context.baseUrl;
  const back = addressWith(PATH, query, {});
  const only = (name: string, value: string): string => `${PATH}?${new URLSearchParams({ [name]: value })}`;
  const act = (action: string, label: string, danger = false): SafeHtml =>
    actionForm(operator, action, label, { item: key, back }, { name: key, danger });
  const hide = item.state === 'hidden' ? act('show', 'Show') : act('hide', 'Hide');
  return html`<tr><th scope="row"><a href="${base}/${key}" target="_blank" rel="noopener noreferrer">${key}</a>${item.title === '' ? null : html`<br><span class="muted">${item.title}</span>`}</th>
<td>${item.kind}${item.hasPassword ? html`<br><span class="muted">password</span>` : null}</td><td class="end">${formatSize(item.sizeBytes)}</td><td class="end">${number(views)}</td>
<td>${badge(item.state, item.state === 'hidden' ? 'warn' : 'plain')}</td><td>${stamp(item.createdAt)}</td>
<td><a href="${only('owner', item.ownerId)}"><code>${item.ownerId.slice(0, 12)}…</code></a></td><td>${item.clientIp === null ? html`<span class="muted">unknown</span>` : html`<a href="${only('ip', item.clientIp)}">${item.clientIp}</a>`}</td>
<td><div class="console-acts">${hide}${act('take-down', 'Take down', true)}</div></td></tr>
`;
}
