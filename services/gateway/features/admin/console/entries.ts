import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import type { FieldIssue } from '../../../../../shared/perch-error.ts';
import type { Words } from './words.ts';

/** A text that the operator has entered into a form. */
export interface Entry {
  /** Name of its form field. */
  name: string;
  label: string;
  value: string;
  /** Names that the field has in the issues of the API. */
  names: readonly string[];
}

/** Names in the issues of the API, where those are others than in the forms. */
const API_NAMES: Readonly<Record<string, string>> = {
  ua: 'uaPattern',
  days: 'maxTtlDays',
  note: 'reviewerNote',
};

/** Texts that were entered into a form that filters a list. */
export function filterEntries(fields: URLSearchParams, words: Words): Entry[] {
  const { access, common, owners, publications, takedowns } = words.texts;
  return entriesOf(fields, {
    ip: common.client,
    method: access.method,
    status: common.status,
    path: access.path,
    resource: common.item,
    ua: access.userAgent,
    from: access.from,
    to: access.before,
    namespace: publications.namespace,
    id: publications.id,
    owner: common.owner,
    item: common.item,
    search: owners.search,
    ...takedowns.targets,
  });
}

/** Texts that were entered into a form that asks for an action. */
export function actionEntries(fields: URLSearchParams, words: Words): Entry[] {
  const { blocklist, common, owners, takedowns } = words.texts;
  return entriesOf(fields, {
    ip: blocklist.network,
    ua: blocklist.userAgentHas,
    sha256: takedowns.targets.sha256,
    days: owners.days,
    label: owners.label,
    reason: common.reason,
    note: common.note,
  });
}

const entriesOf = (fields: URLSearchParams, labels: Readonly<Record<string, string>>): Entry[] =>
  Object.entries(labels).flatMap(([name, label]) => {
    const value = fields.get(name);
    if (value === null) return [];
    const other = API_NAMES[name];
    return [{ name, label, value, names: other === undefined ? [name] : [name, other] }];
  });

/** The field of an entry once more, with its faults beside it. */
export function entryField({ name, label, value, names }: Entry, issues: readonly FieldIssue[]): SafeHtml {
  const faults = issues.filter(({ field }) => names.includes(field));
  const id = `f-${name}`;
  const described = faults.length === 0 ? null : html` aria-invalid="true" aria-describedby="${id}-fault"`;
  const field =
    name === 'note'
      ? html`<textarea id="${id}" name="${name}" rows="6"${described}>\n${value}</textarea>`
      : html`<input id="${id}" name="${name}" value="${value}" autocomplete="off" spellcheck="false"${described}>`;
  const said = faults.map(({ message }) => message).join(' ');
  return html`<div class="field"><label for="${id}">${label}</label>${field}${said === '' ? null : html`<p class="field-error" id="${id}-fault" lang="en">${said}</p>`}</div>`;
}

/** Texts that the operator entered into a form that was not done, to be copied; `null` when there are none. */
export function enteredTexts(fields: URLSearchParams, words: Words): SafeHtml | null {
  const entries = actionEntries(fields, words).filter(({ value }) => value !== '');
  if (entries.length === 0) return null;
  return html`<h2>${words.texts.actions.entered}</h2>
<div class="stack">${entries.map(({ name, label, value }) => html`<div class="field"><label for="f-${name}">${label}</label><textarea id="f-${name}" rows="${name === 'note' ? 6 : 1}" readonly>\n${value}</textarea></div>`)}</div>`;
}
