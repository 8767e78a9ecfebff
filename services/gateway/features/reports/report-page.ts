import {
  REPORT_CATEGORIES,
  REPORT_DESCRIPTION,
  REPORTED_URL_CHARACTERS,
} from '../../../../shared/contracts/reports.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import type { FieldIssue } from '../../../../shared/perch-error.ts';
import type { Language } from '../../http/language.ts';
import { page } from '../../pages/page.ts';
import { type Texts, textsIn } from '../../web/texts/texts.ts';

export interface ReportPageInput {
  readonly reportedUrl: string;
  readonly namespace: string | null;
  readonly id: string | null;
  readonly sent: null | { readonly reportId: string };
  /** The problem with the report just sent, or null. */
  readonly problem: string | null;
  /** Issues of the form's fields, by their names in the API. */
  readonly issues?: readonly FieldIssue[];
  /** The fields as the reader had filled them in, so that a problem costs them nothing. */
  readonly entered?: {
    readonly category?: string;
    readonly description?: string;
    readonly reporterEmail?: string;
  };
  readonly language?: Language;
}

type ReportTexts = Texts['report'];

/** The abuse report form: posts `reportedUrl, category, description, reporterEmail` urlencoded to `/report`. */
export function reportPage(input: ReportPageInput): string {
  const { language = 'en', sent } = input;
  const { report: texts, language: words } = textsIn(language);
  const body = sent ? thanks(sent.reportId, texts, words.home) : form(input, texts, words.optional);
  return page({ title: `${texts.title} · Perch`, body, width: 'narrow', language });
}

function thanks(reportId: string, texts: ReportTexts, home: string): SafeHtml {
  return html`<h1>${texts.thanks}</h1>
<p>${texts.arrived}</p>
<dl class="facts"><div><dt>${texts.number}</dt><dd><code>${reportId}</code></dd></div></dl>
<p class="actions"><a class="button" href="/">${home}</a></p>`;
}

function form(input: ReportPageInput, texts: ReportTexts, optional: string): SafeHtml {
  const { reportedUrl, namespace, id, entered = {} } = input;
  const problem = problemOf(input, texts);
  const [address, category, description, email] = [
    marksOf(input, texts, 'reportedUrl'),
    marksOf(input, texts, 'category'),
    marksOf(input, texts, 'description', 'description-hint'),
    marksOf(input, texts, 'reporterEmail', 'email-hint'),
  ];
  const item =
    namespace && id ? html` ${texts.item.before}<code>${namespace}/${id}</code>${texts.item.after}` : null;
  const options = REPORT_CATEGORIES.map(
    (value) =>
      html`<option value="${value}"${value === entered.category ? html` selected` : null}>${texts.categories[value] ?? value}</option>`,
  );
  return html`<h1>${texts.title}</h1>
<p class="muted">${texts.lead}${item}</p>
${problem ? html`<p class="notice error" role="alert">${problem}</p>` : null}
<form method="post" action="/report" class="stack">
<div class="field"><label for="reportedUrl">${texts.address}</label>
<input id="reportedUrl" name="reportedUrl" type="url" value="${reportedUrl}" maxlength="${REPORTED_URL_CHARACTERS}" required${address.attributes}>
${address.message}</div>
<div class="field"><label for="category">${texts.reason}</label>
<select id="category" name="category" required${category.attributes}><option value="">${texts.choose}</option>${options}</select>
${category.message}</div>
<div class="field"><label for="description">${texts.description}</label>
<textarea id="description" name="description" rows="6" minlength="${REPORT_DESCRIPTION.min}" maxlength="${REPORT_DESCRIPTION.max}" required${description.attributes}>
${entered.description}</textarea>
${description.message}
<p class="hint" id="description-hint">${texts.descriptionHint}</p></div>
<div class="field"><label for="reporterEmail">${texts.email} <span class="optional">${optional}</span></label>
<input id="reporterEmail" name="reporterEmail" type="email" value="${entered.reporterEmail}" maxlength="320" autocomplete="email"${email.attributes}>
${email.message}
<p class="hint" id="email-hint">${texts.emailHint}</p></div>
<button type="submit" class="button">${texts.send}</button>
</form>`;
}

const FIELDS = ['reportedUrl', 'category', 'description', 'reporterEmail'] as const;
type Field = (typeof FIELDS)[number];

/** The text below a field, in place of the message that programs get. */
function textOf(name: Field, { entered }: ReportPageInput, texts: ReportTexts): string {
  if (name === 'reportedUrl') return texts.wholeAddress;
  if (name === 'category') return texts.chooseReason;
  if (name === 'reporterEmail') return texts.wrongEmail;
  return (entered?.description?.trim().length ?? 0) < REPORT_DESCRIPTION.min ? texts.tooShort : texts.tooLong;
}

const isField = (name: string): name is Field => FIELDS.some((field) => field === name);

/** The problem above the form. Issues shown beside their fields are not repeated there under their names in the API. */
function problemOf({ problem, issues = [] }: ReportPageInput, texts: ReportTexts): string | null {
  const allMarked = issues.length > 0 && issues.every(({ field }) => isField(field));
  return allMarked ? texts.correct : problem;
}

/** Attributes and message of a field with an issue. The first such field gets the focus. */
function marksOf(
  input: ReportPageInput,
  texts: ReportTexts,
  name: Field,
  hint?: string,
): { attributes: SafeHtml | null; message: SafeHtml | null } {
  const { issues = [] } = input;
  if (!issues.some(({ field }) => field === name))
    return { attributes: hint === undefined ? null : html` aria-describedby="${hint}"`, message: null };
  const isFirst = FIELDS.find((field) => issues.some((one) => one.field === field)) === name;
  const described = [`${name}-fault`, hint].filter((id) => id !== undefined).join(' ');
  return {
    attributes: html` aria-invalid="true" aria-describedby="${described}"${isFirst ? html` autofocus` : null}`,
    message: html`<p class="field-error" id="${name}-fault">${textOf(name, input, texts)}</p>`,
  };
}
