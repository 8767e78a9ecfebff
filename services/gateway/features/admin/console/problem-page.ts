import { html } from '../../../../../shared/pages/html.ts';
import { asPerchError, errorBody } from '../../../http/error-status.ts';
import type { ConsolePage } from './frame.ts';

/** A problem that the operator can mend, within the console. @throws everything else, such as a part that is away */
export function problemPage(error: unknown, requestId: string, back: string): ConsolePage {
  const failure = asPerchError(error);
  const { status, message, details = [] } = errorBody(failure, requestId);
  if (status >= 500) throw error;
  const body = html`<p class="notice error" role="alert">${message}</p>
${details.length === 0 ? null : html`<ul>${details.map((issue) => html`<li><code>${issue.field}</code> ${issue.message}</li>`)}</ul>`}
<p><a class="console-button" href="${back}">Back</a></p>`;
  return { title: 'This did not work', body, status };
}
