import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import type { Operator } from '../../../auth/admin-password.ts';

/** A moment to the second, in UTC. */
export function stamp(at: number): SafeHtml {
  const text = new Date(at).toISOString();
  return html`<time datetime="${text}">${text.slice(0, 10)} ${text.slice(11, 19)}</time>`;
}

/** A whole number, its thousands apart. */
export const number = (value: number): string => value.toLocaleString('en');

/** A table in a region of its own that scrolls sideways where it is too wide, also by keyboard. */
export function table(
  label: string,
  columns: readonly string[],
  rows: readonly SafeHtml[],
  empty: string,
): SafeHtml {
  if (rows.length === 0) return html`<p class="muted">${empty}</p>`;
  return html`<div class="console-table" tabindex="0" role="region" aria-label="${label}"><table>
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${rows}</tbody>
</table></div>`;
}

/** Names and what they stand for. */
export const facts = (
  rows: ReadonlyArray<readonly [name: string, value: SafeHtml | string | null]>,
): SafeHtml =>
  html`<dl class="console-facts">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value ?? html`<span class="muted">none</span>`}</dd></div>`)}</dl>`;

/** A word in a coloured frame. */
export const badge = (text: string, tone: 'plain' | 'good' | 'bad' | 'warn' = 'plain'): SafeHtml =>
  html`<span class="console-badge ${tone}">${text}</span>`;

/** The hidden field that shows a form to be one of the console. */
export const formMark = ({ session }: Operator): SafeHtml | null =>
  session === null ? null : html`<input type="hidden" name="mark" value="${session.formMark}">`;

/** A field of a filter form: its label above it. */
export const textField = (
  name: string,
  label: string,
  value: string | null,
  attributes: { type?: string; placeholder?: string } = {},
): SafeHtml =>
  html`<div class="field"><label for="f-${name}">${label}</label><input id="f-${name}" name="${name}" type="${attributes.type ?? 'text'}" value="${value ?? ''}" placeholder="${attributes.placeholder ?? ''}" autocomplete="off" spellcheck="false"></div>`;

/** A choice of a filter form; the first option, without a value, leaves it open. */
export const choiceField = (
  name: string,
  label: string,
  open: string,
  options: readonly string[],
  chosen: string | null,
): SafeHtml =>
  html`<div class="field"><label for="f-${name}">${label}</label><select id="f-${name}" name="${name}"><option value="">${open}</option>${options.map((value) => html`<option value="${value}"${value === chosen ? html` selected` : null}>${value}</option>`)}</select></div>`;

/** A form that filters the list of its page. */
export const filterForm = (action: string, fields: readonly SafeHtml[]): SafeHtml =>
  html`<form class="console-filter" method="get" action="${action}" role="search" aria-label="Filter">${fields}<div class="console-filter-end"><button class="button" type="submit">Filter</button> <a href="${action}">Clear</a></div></form>`;

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
  path: string,
  query: URLSearchParams,
  {
    offset,
    limit,
    total,
    isLowerBound = false,
  }: { offset: number; limit: number; total: number; isLowerBound?: boolean },
): SafeHtml {
  const to = (at: number): string => addressWith(path, query, { offset: at === 0 ? null : String(at) });
  const last = Math.min(offset + limit, total);
  const range =
    total === 0
      ? 'Nothing'
      : `${number(offset + 1)} to ${number(last)} of ${number(total)}${isLowerBound ? ' or more' : ''}`;
  return html`<nav class="console-pager" aria-label="Parts of the list"><span>${range}</span>${offset > 0 ? html`<a href="${to(Math.max(0, offset - limit))}" rel="prev">Newer</a>` : null}${offset + limit < total ? html`<a href="${to(offset + limit)}" rel="next">Older</a>` : null}</nav>`;
}

/** A form of one button that does something; `back` is the page to return to. */
export function actionForm(
  operator: Operator,
  action: string,
  label: string,
  fields: Record<string, string>,
  { name, danger = false }: { name: string; danger?: boolean },
): SafeHtml {
  return html`<form method="post" action="/admin/actions">${formMark(operator)}${hidden(fields)}<button class="console-button${danger ? ' danger' : ''}" name="action" value="${action}" aria-label="${label} ${name}">${label}</button></form>`;
}

export const hidden = (fields: Record<string, string>): SafeHtml[] =>
  Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
