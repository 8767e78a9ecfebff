import type { FieldIssue } from '../../../../shared/errors.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { page } from '../../pages/page.ts';

const CATEGORY_LABELS: Readonly<Record<string, string>> = {
  spam: 'Spam or advertising',
  phishing: 'Phishing or a scam',
  malware: 'Malware',
  copyright: 'It infringes a copyright',
  harassment: 'Harassment or private information',
  illegal: 'Other illegal content',
  cannot_delete: 'It is mine and I cannot delete it',
  other: 'Something else',
};

export interface ReportPageInput {
  readonly reportedUrl: string;
  readonly namespace: string | null;
  readonly id: string | null;
  /** Values for the field `category`, in the order shown. */
  readonly categories: readonly string[];
  readonly sent: null | { readonly reportId: string };
  /** The problem with the report just sent, or null. */
  readonly problem: string | null;
  /** Of these fields, by their names in the API. */
  readonly issues?: readonly FieldIssue[];
  /** The fields as the reader had filled them in, so that a problem costs them nothing. */
  readonly entered?: {
    readonly category?: string;
    readonly description?: string;
    readonly reporterEmail?: string;
  };
}

/** The abuse report form: posts `reportedUrl, category, description, reporterEmail` urlencoded to `/report`. */
export function reportPage(input: ReportPageInput): string {
  const body = input.sent ? thanks(input.sent.reportId) : form(input);
  return page({ title: 'Report a page · Perch', body, width: 'narrow' });
}

function thanks(reportId: string): SafeHtml {
  return html`<h1>Thank you</h1>
<p>Your report has arrived, and a person will look at it.</p>
<dl class="facts"><div><dt>Report</dt><dd><code>${reportId}</code></dd></div></dl>
<p class="actions"><a class="button" href="/">Go to the home page</a></p>`;
}

function form(input: ReportPageInput): SafeHtml {
  const { reportedUrl, namespace, id, categories, entered = {} } = input;
  const problem = problemOf(input);
  const [address, category, description, email] = [
    marksOf(input, 'reportedUrl'),
    marksOf(input, 'category'),
    marksOf(input, 'description', 'description-hint'),
    marksOf(input, 'reporterEmail', 'email-hint'),
  ];
  const item = namespace && id ? html` You are reporting <code>${namespace}/${id}</code>.` : null;
  const options = categories.map(
    (value) =>
      html`<option value="${value}"${value === entered.category ? html` selected` : null}>${CATEGORY_LABELS[value] ?? value}</option>`,
  );
  return html`<h1>Report a page</h1>
<p class="muted">Tell us what is wrong with it.${item}</p>
${problem ? html`<p class="notice error" role="alert">${problem}</p>` : null}
<form method="post" action="/report" class="stack">
<div class="field"><label for="reportedUrl">Address of the page</label>
<input id="reportedUrl" name="reportedUrl" type="url" value="${reportedUrl}" maxlength="2000" required${address.attributes}>
${address.message}</div>
<div class="field"><label for="category">Reason</label>
<select id="category" name="category" required${category.attributes}><option value="">Choose one</option>${options}</select>
${category.message}</div>
<div class="field"><label for="description">What should we know?</label>
<textarea id="description" name="description" rows="6" minlength="10" maxlength="5000" required${description.attributes}>
${entered.description}</textarea>
${description.message}
<p class="hint" id="description-hint">10 to 5000 characters.</p></div>
<div class="field"><label for="reporterEmail">Your email <span class="optional">optional</span></label>
<input id="reporterEmail" name="reporterEmail" type="email" value="${entered.reporterEmail}" maxlength="320" autocomplete="email"${email.attributes}>
${email.message}
<p class="hint" id="email-hint">Only used to answer this report.</p></div>
<button type="submit" class="button">Send report</button>
</form>`;
}

const FIELDS = ['reportedUrl', 'category', 'description', 'reporterEmail'] as const;
type Field = (typeof FIELDS)[number];

/** The text below a field, in place of the message that programs get. */
const MESSAGES: Partial<Record<Field, string>> = { category: 'Choose one of the reasons.' };

const isField = (name: string): name is Field => FIELDS.some((field) => field === name);

/** The problem above the form. Issues shown beside their fields are not repeated there under their names in the API. */
function problemOf({ problem, issues = [] }: ReportPageInput): string | null {
  const allMarked = issues.length > 0 && issues.every(({ field }) => isField(field));
  return allMarked ? 'Your report was not sent. Correct what is marked below, then send it again.' : problem;
}

/** Attributes and message of a field with an issue. The first such field gets the focus. */
function marksOf(
  { issues = [] }: ReportPageInput,
  name: Field,
  hint?: string,
): { attributes: SafeHtml | null; message: SafeHtml | null } {
  const issue = issues.find(({ field }) => field === name);
  if (issue === undefined)
    return { attributes: hint === undefined ? null : html` aria-describedby="${hint}"`, message: null };
  const isFirst = FIELDS.find((field) => issues.some((one) => one.field === field)) === name;
  const described = [`${name}-fault`, hint].filter((id) => id !== undefined).join(' ');
  const text = MESSAGES[name] ?? `${issue.message.charAt(0).toUpperCase()}${issue.message.slice(1)}`;
  return {
    attributes: html` aria-invalid="true" aria-describedby="${described}"${isFirst ? html` autofocus` : null}`,
    message: html`<p class="field-error" id="${name}-fault">${text}</p>`,
  };
}
