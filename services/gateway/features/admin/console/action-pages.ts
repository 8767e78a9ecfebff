import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { senderOf } from '../../../http/client.ts';
import { errorBody } from '../../../http/error-status.ts';
import { enteredTexts } from './entries.ts';
import { type ConsolePage, type ConsoleRequest, messageOf } from './frame.ts';
import { csrfField, hidden } from './parts.ts';
import type { Performed, Plan } from './plan.ts';
import type { Step } from './steps.ts';
import { countItems } from './targeted-items.ts';
import type { Words } from './words.ts';

const listOf = (texts: readonly string[]): SafeHtml =>
  html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`;

const listOfSteps = (steps: readonly Step[], words: Words): SafeHtml =>
  listOf(steps.map((step) => step.describe(words)));

/** A step in words, with the number of items that it takes down. */
async function describeWhole(request: ConsoleRequest, step: Step): Promise<string> {
  const said = step.describe(request.words);
  return step.targets === undefined ? said : `${said} ${(await countItems(request, step.targets)).said}`;
}

/** Asks once more before something that cannot be undone; the form has all fields of the one before. */
export async function confirmPage(
  request: ConsoleRequest,
  fields: URLSearchParams,
  { steps, note, back }: Plan,
): Promise<ConsolePage> {
  const { context, operator, words } = request;
  const { actions: texts } = words.texts;
  const described = await Promise.all(steps.map((step) => describeWhole(request, step)));
  const again = [...fields].filter(([name]) => name !== 'mark' && name !== 'confirmed');
  const sender = senderOf(context);
  const warnings = steps.flatMap((step) => step.warns?.(words, sender) ?? []);
  const body = html`<p>${texts.willBeDone}</p>
${listOf(described)}
${warnings.map((warning) => html`<p class="notice error" role="alert">${warning}</p>`)}
${note === null ? null : html`<p class="console-quote">${note}</p>`}
<form method="post" action="/admin/actions" class="console-buttons">${csrfField(operator)}${again.map(([name, value]) => hidden({ [name]: value }))}<button class="button danger" name="confirmed" value="1" autofocus>${texts.confirm}</button> <a class="console-button" href="${back}">${texts.cancel}</a></form>`;
  return { title: texts.sure, body };
}

/** Says which steps of a plan have failed, what became of the others, and what was entered. */
export function failurePage(
  { context, words }: ConsoleRequest,
  fields: URLSearchParams,
  { back }: Pick<Plan, 'back'>,
  { done, failures, left }: Performed,
): ConsolePage {
  const [first] = failures;
  if (first === undefined) throw new TypeError('a plan without a failure');
  const { actions: texts, common } = words.texts;
  const { status } = errorBody(first.error, context.requestId);
  const told = failures.map(({ step, error }) => {
    const alone = step.failsAlone?.(error) ?? null;
    const why = alone === null ? messageOf(error, context.requestId, words) : texts[alone];
    return html`<p class="notice error" role="alert">${texts.failed(step.describe(words), why)}</p>`;
  });
  const body = html`${told}
${done.length === 0 ? null : html`<p>${texts.before}</p>${listOfSteps(done, words)}`}
${left.length === 0 ? null : html`<p>${texts.notTried}</p>${listOfSteps(left, words)}`}
${enteredTexts(fields, words)}
<p><a class="console-button" href="${back}">${common.back}</a></p>`;
  return { title: texts.partly, body, status };
}
