import { call } from '../../../../../shared/contracts/call.ts';
import {
  ITEM_STATES,
  listPublications,
  type Publication,
} from '../../../../../shared/contracts/publications.ts';
import { itemKey, KINDS } from '../../../../../shared/items/item.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { currentViews } from '../../../items/serializer.ts';
import { parseListQuery } from '../list-page.ts';
import { parsePublicationFilter } from '../publications.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { actionForm, addressWith, badge, choiceField, filterForm, pager, table, textField } from './parts.ts';
import type { Words } from './words.ts';

const PATH = '/admin/publications';
const PAGE = { default: 50, max: 200, id: null };

/** Every item of the server, newest first. */
export async function publicationsPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context, words } = request;
  const { publications: texts, common, sections } = words.texts;
  const query = context.query();
  const { page, filter } = parseListQuery(query, PAGE, parsePublicationFilter);
  const { offset, limit } = page;
  const input = { filter, offset, limit };
  const { publications, total } = await call(deps.bus, listPublications, input, context.callContext);
  const views = await currentViews(deps.cache, publications);
  const rows = publications.map((item, index) => row(request, item, views[index] ?? 0));
  const columns = [
    ...[common.item, common.kind, texts.size, texts.views, common.state, common.created],
    ...[common.owner, texts.client, common.change],
  ];
  const body = html`${filterForm(words, PATH, filterFields(filter, words))}
${table(sections.publications, columns, rows, texts.none)}
${pager(words, PATH, query, { offset, limit, total: total.count, isLowerBound: total.isLowerBound })}`;
  return { title: sections.publications, body };
}

function filterFields(filter: ReturnType<typeof parsePublicationFilter>, words: Words): SafeHtml[] {
  const { publications: texts, common, states } = words.texts;
  const kinds = KINDS.map((kind) => [kind, words.kinds[kind].one] as const);
  const choices = ITEM_STATES.map((state) => [state, states[state]] as const);
  return [
    choiceField('type', common.kind, texts.anyKind, kinds, filter.kind),
    choiceField('state', common.state, texts.anyState, choices, filter.state),
    textField('namespace', texts.namespace, filter.namespace),
    textField('id', texts.id, filter.id),
    textField('owner', common.owner, filter.ownerId ?? null, texts.ownerExample),
    textField('ip', texts.from, filter.clientIp ?? null, '192.0.2.1'),
  ];
}

function row({ deps, context, operator, words }: ConsoleRequest, item: Publication, views: number): SafeHtml {
  const { publications: texts, common, states } = words.texts;
  const key = itemKey(item);
  const query = context.query();
  const base = deps.config.contentBaseUrl ?? context.baseUrl;
  const back = addressWith(PATH, query, {});
  const only = (name: string, value: string): string => `${PATH}?${new URLSearchParams({ [name]: value })}`;
  const act = (action: string, label: string, danger = false): SafeHtml =>
    actionForm(operator, action, label, { item: key, back }, { name: key, danger });
  const hide = item.state === 'hidden' ? act('show', common.show) : act('hide', common.hide);
  return html`<tr><th scope="row"><a href="${base}/${key}" target="_blank" rel="noopener noreferrer">${key}</a>${item.title === '' ? null : html`<br><span class="muted">${item.title}</span>`}</th>
<td>${words.kinds[item.kind].one}${item.hasPassword ? html`<br><span class="muted">${texts.isProtected}</span>` : null}</td><td class="end">${words.size(item.sizeBytes)}</td><td class="end">${words.number(views)}</td>
<td>${badge(states[item.state], item.state === 'hidden' ? 'warn' : 'plain')}</td><td>${words.stamp(item.createdAt)}</td>
<td><a href="${only('owner', item.ownerId)}"><code>${item.ownerId.slice(0, 12)}…</code></a></td><td>${item.clientIp === null ? html`<span class="muted">${common.unknown}</span>` : html`<a href="${only('ip', item.clientIp)}">${item.clientIp}</a>`}</td>
<td><div class="console-acts">${hide}${act('take-down', common.takeDown, true)}</div></td></tr>
`;
}
