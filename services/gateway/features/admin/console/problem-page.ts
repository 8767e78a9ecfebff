import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import type { FieldIssue } from '../../../../../shared/perch-error.ts';
import { asPerchError, errorBody } from '../../../http/error-status.ts';
import { actionEntries, type Entry, entryField, filterEntries } from './entries.ts';
import { type ConsolePage, type ConsoleRequest, messageOf } from './frame.ts';
import { addressWith, csrfField, hidden } from './parts.ts';

/** A form of the console as it was sent. */
export interface SentForm {
  /** The page that it filters, or to which it returns. */
  back: string;
  fields: URLSearchParams;
  /** Whether it filters the list of its page; else it asks for an action. */
  filters: boolean;
}

/**
 * A problem that the operator can mend, with the form once more: it has all that was entered, each fault beside its field.
 * @throws everything else, such as a part that is away
 */
export function problemPage(request: ConsoleRequest, error: unknown, form: SentForm): ConsolePage {
  const { context, words } = request;
  const failure = asPerchError(error);
  const { status, details = [] } = errorBody(failure, context.requestId);
  if (status >= 500) throw error;
  const { actions, common } = words.texts;
  const entries = (form.filters ? filterEntries : actionEntries)(form.fields, words);
  const isBeside = ({ field }: FieldIssue): boolean => entries.some(({ names }) => names.includes(field));
  const elsewhere = details.filter((issue) => !isBeside(issue));
  const isMarked = elsewhere.length < details.length;
  const message = isMarked ? actions.marked : messageOf(failure, context.requestId, words);
  // The API's own message names the issues already.
  const untold = elsewhere.filter((issue) => !message.includes(issue.message));
  const hasEntries = entries.some(({ value }) => value !== '');
  // The fields and their issues are the API's own, which are English.
  const body = html`<p class="notice error" role="alert">${message}</p>
${untold.length === 0 ? null : html`<ul lang="en">${untold.map((issue) => html`<li><code>${issue.field}</code> ${issue.message}</li>`)}</ul>`}
${hasEntries || isMarked ? formAgain(request, form, entries, details) : null}
<p><a class="console-button" href="${backOfForm(form, details)}">${common.back}</a></p>`;
  return { title: actions.problem, body, status };
}

/** The page behind the form; a list keeps the filters that have no fault. */
function backOfForm({ back, fields, filters }: SentForm, issues: readonly FieldIssue[]): string {
  if (!filters || issues.length === 0) return back;
  return addressWith(back, fields, Object.fromEntries(issues.map(({ field }) => [field, null])));
}

function formAgain(
  { operator, words }: ConsoleRequest,
  { back, fields, filters }: SentForm,
  entries: readonly Entry[],
  issues: readonly FieldIssue[],
): SafeHtml {
  const { actions, common } = words.texts;
  /** Not to be sent again as they were: entries have fields of their own, and the rest belongs to one sending. */
  const replaced = new Set([
    'mark',
    'confirmed',
    'action',
    'cursor',
    'offset',
    ...entries.map(({ name }) => name),
  ]);
  const faulty = new Set(issues.map(({ field }) => field));
  const rest = [...fields].filter(([name]) => !replaced.has(name) && !(filters && faulty.has(name)));
  const inner = html`${rest.map(([name, value]) => hidden({ [name]: value }))}${entries.map((entry) => entryField(entry, issues))}`;
  return filters
    ? html`<form method="get" action="${back}" class="console-form again">${inner}<button class="button">${common.filter}</button></form>`
    : html`<form method="post" action="/admin/actions" class="console-form again">${csrfField(operator)}${inner}<button class="button" name="action" value="${fields.get('action') ?? ''}">${actions.again}</button></form>`;
}
