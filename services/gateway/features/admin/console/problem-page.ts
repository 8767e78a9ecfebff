import type { PerchError } from '../../../../../shared/errors.ts';
import { html } from '../../../../../shared/pages/html.ts';
import { asPerchError, errorBody } from '../../../http/error-status.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import type { Words } from './words.ts';

/** A problem that the operator can mend, within the console. @throws everything else, such as a part that is away */
export function problemPage(
  { context, words }: Pick<ConsoleRequest, 'context' | 'words'>,
  error: unknown,
  back: string,
): ConsolePage {
  const failure = asPerchError(error);
  const { status, details = [] } = errorBody(failure, context.requestId);
  if (status >= 500) throw error;
  const { actions, common } = words.texts;
  // The fields and their issues are the API's own, which are English.
  const body = html`<p class="notice error" role="alert">${messageOf(failure, context.requestId, words)}</p>
${details.length === 0 ? null : html`<ul lang="en">${details.map((issue) => html`<li><code>${issue.field}</code> ${issue.message}</li>`)}</ul>`}
<p><a class="console-button" href="${back}">${common.back}</a></p>`;
  return { title: actions.problem, body, status };
}

/** The message of an error in the operator's language where there is one, else the API's own. */
export const messageOf = (error: PerchError, requestId: string, { texts }: Words): string =>
  texts.actions.messages[error.code] ?? errorBody(error, requestId).message;
