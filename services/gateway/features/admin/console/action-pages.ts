import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import type { Operator } from '../../../auth/admin-password.ts';
import { errorBody } from '../../../http/error-status.ts';
import type { ConsolePage } from './frame.ts';
import { formMark, hidden } from './parts.ts';
import { describeStep, type Performed } from './perform.ts';
import type { Plan, Step } from './plan.ts';

const listOf = (steps: readonly Step[]): SafeHtml =>
  html`<ul>${steps.map((step) => html`<li>${describeStep(step)}</li>`)}</ul>`;

/** Asks once more before something that cannot be undone; the form has all fields of the one before. */
export function confirmPage(
  operator: Operator,
  fields: URLSearchParams,
  { steps, note, back }: Plan,
): ConsolePage {
  const again = [...fields].filter(([name]) => name !== 'mark' && name !== 'confirmed');
  const body = html`<p>This will be done:</p>
${listOf(steps)}
${note === null ? null : html`<p class="console-quote">${note}</p>`}
<form method="post" action="/admin/actions" class="console-buttons">${formMark(operator)}${again.map(([name, value]) => hidden({ [name]: value }))}<button class="button danger" name="confirmed" value="1" autofocus>Do it</button> <a class="console-button" href="${back}">Cancel</a></form>`;
  return { title: 'Are you sure?', body };
}

/** Says at which step a plan has ended. */
export function failurePage(
  requestId: string,
  { back, steps }: Plan,
  { done, failed }: Performed,
): ConsolePage {
  if (failed === null) throw new TypeError('a plan without a failure');
  const { status, message } = errorBody(failed.error, requestId);
  const left = steps.slice(done.length + 1);
  const body = html`<p class="notice error" role="alert">${describeStep(failed.step)} It failed: ${message}</p>
${done.length === 0 ? null : html`<p>Done before:</p>${listOf(done)}`}
${left.length === 0 ? null : html`<p>Not tried:</p>${listOf(left)}`}
<p><a class="console-button" href="${back}">Back</a></p>`;
  return { title: 'Not everything was done', body, status };
}
