import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import type { Operator } from '../../../auth/admin-password.ts';
import type { Words } from './words.ts';

/**
 * A table in a region of its own that scrolls sideways where it is too wide, also by keyboard.
 * @param isStacked whether on a narrow page the cells of a row stand below one another instead
 */
export function table(
  label: string,
  columns: readonly string[],
  rows: readonly SafeHtml[],
  empty: string,
  isStacked = false,
): SafeHtml {
  if (rows.length === 0) return html`<p class="muted">${empty}</p>`;
  return html`<div class="console-table${isStacked ? ' stacked' : ''}" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>`;
}

/** Names and what they stand for. */
export const facts = (
  { texts }: Words,
  rows: ReadonlyArray<readonly [name: string, value: SafeHtml | string | null]>,
): SafeHtml =>
  html`<dl class="console-facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value ?? html`<span class="muted">${texts.common.none}</span>`}</dd></div>`)}</dl>`;

/** A word in a coloured frame. */
export const badge = (text: SafeHtml | string, tone: 'plain' | 'good' | 'bad' | 'warn' = 'plain'): SafeHtml =>
  html`<span class="console-badge ${tone}">${text}</span>`;

/** The hidden field with the CSRF token of a form. */
export const csrfField = ({ session }: Operator): SafeHtml | null =>
  session === null ? null : html`<input type="hidden" name="mark" value="${session.csrfToken}">`;

/** A field of a filter form: its label above it. */
export const textField = (name: string, label: string, value: string | null, placeholder = ''): SafeHtml =>
  html`<div class="field"><label for="f-${name}">${label}</label><input id="f-${name}" name="${name}" type="text" value="${value ?? ''}" placeholder="${placeholder}" autocomplete="off" spellcheck="false"></div>`;

/** A choice of a filter form; the first option, without a value, leaves it open. */
export const choiceField = (
  name: string,
  label: string,
  open: string,
  options: ReadonlyArray<readonly [value: string, label: string]>,
  chosen: string | null,
): SafeHtml =>
  html`<div class="field"><label for="f-${name}">${label}</label><select id="f-${name}" name="${name}"><option value="">${open}</option>${options.map(([value, text]) => html`<option value="${value}"${value === chosen ? html` selected` : null}>${text}</option>`)}</select></div>`;

/** A form that filters the list of its page. */
export const filterForm = ({ texts }: Words, action: string, fields: readonly SafeHtml[]): SafeHtml =>
  html`<form class="console-filter" method="get" action="${action}" role="search" aria-label="${texts.common.filter}">${fields}<div class="console-filter-end"><button class="button" type="submit">${texts.common.filter}</button> <a href="${action}">${texts.common.clear}</a></div></form>`;

/** The address of this list with some parameters changed; `null` leaves one out. */
export function addressWith(
  path: string,
  query: URLSearchParams,
  changes: Record<string, string | null>,
): string {
  const changed = new URLSearchParams(query);
  changed.delete('done');
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.delete(name);
    else changed.set(name, value);
  }
  const text = changed.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Links to the parts before and behind this one of a list that is counted through. */
export function pager(
  words: Words,
  path: string,
  query: URLSearchParams,
  {
    offset,
    limit,
    total,
    isLowerBound = false,
  }: { offset: number; limit: number; total: number; isLowerBound?: boolean },
): SafeHtml {
  const { common } = words.texts;
  const to = (at: number): string => addressWith(path, query, { offset: at === 0 ? null : String(at) });
  const last = Math.min(offset + limit, total);
  // The last row of a further part may be gone by now: the one before it begins the last part that there is.
  const before = Math.min(offset - limit, Math.floor((total - 1) / limit) * limit);
  const all = isLowerBound ? common.orMore(words.number(total)) : words.number(total);
  const range =
    offset >= total ? common.nothing : common.range(words.number(offset + 1), words.number(last), all);
  return html`<nav class="console-pager" aria-label="${common.parts}"><span>${range}</span>${offset > 0 ? html`<a href="${to(Math.max(0, before))}" rel="prev">${common.newer}</a>` : null}${offset + limit < total ? html`<a href="${to(offset + limit)}" rel="next">${common.older}</a>` : null}</nav>`;
}

/** A form of one button that does something; `back` is the page to return to. */
export function actionForm(
  operator: Operator,
  action: string,
  label: string,
  fields: Record<string, string>,
  { name, danger = false }: { name: string; danger?: boolean },
): SafeHtml {
  return html`<form method="post" action="/admin/actions">${csrfField(operator)}${hidden(fields)}<button class="console-button${danger ? ' danger' : ''}" name="action" value="${action}" aria-label="${label} ${name}">${label}</button></form>`;
}

export const hidden = (fields: Record<string, string>): SafeHtml[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
