import { CONTENT_BLOCK_DAYS } from '../../../../../shared/contracts/takedowns.ts';
import { itemKey } from '../../../../../shared/items/item.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { errorBody } from '../../../http/error-status.ts';
import type { Performed } from './actions.ts';
import { type ConsolePage, type ConsoleRequest, messageOf } from './frame.ts';
import { formMark, hidden } from './parts.ts';
import type { Plan, Step } from './plan.ts';
import type { Words } from './words.ts';

const listOf = (steps: readonly Step[], words: Words): SafeHtml =>
  html`<ul>${steps.map((step) => html`<li>${describeStep(step, words)}</li>`)}</ul>`;

/** Asks once more before something that cannot be undone; the form has all fields of the one before. */
export function confirmPage(
  { operator, words }: ConsoleRequest,
  fields: URLSearchParams,
  { steps, note, back }: Plan,
): ConsolePage {
  const { actions: texts } = words.texts;
  const again = [...fields].filter(([name]) => name !== 'mark' && name !== 'confirmed');
  const body = html`<p>${texts.willBeDone}</p>
${listOf(steps, words)}
${note === null ? null : html`<p class="console-quote">${note}</p>`}
<form method="post" action="/admin/actions" class="console-buttons">${formMark(operator)}${again.map(([name, value]) => hidden({ [name]: value }))}<button class="button danger" name="confirmed" value="1" autofocus>${texts.confirm}</button> <a class="console-button" href="${back}">${texts.cancel}</a></form>`;
  return { title: texts.sure, body };
}

/** Says at which step a plan has ended. */
export function failurePage(
  { context, words }: ConsoleRequest,
  { back, steps }: Plan,
  { done, failed }: Performed,
): ConsolePage {
  if (failed === null) throw new TypeError('a plan without a failure');
  const { actions: texts, common } = words.texts;
  const { status } = errorBody(failed.error, context.requestId);
  const left = steps.slice(done.length + 1);
  const why = messageOf(failed.error, context.requestId, words);
  const body = html`<p class="notice error" role="alert">${texts.failed(describeStep(failed.step, words), why)}</p>
${done.length === 0 ? null : html`<p>${texts.before}</p>${listOf(done, words)}`}
${left.length === 0 ? null : html`<p>${texts.notTried}</p>${listOf(left, words)}`}
<p><a class="console-button" href="${back}">${common.back}</a></p>`;
  return { title: texts.partly, body, status };
}

/** The beginning of a hash; anything shorter stays as it is. */
const shortened = (text: string): string => (/^[0-9a-f]{32,64}$/.test(text) ? `${text.slice(0, 16)}…` : text);

/** A step in words, as it will be done. */
function describeStep(step: Step, words: Words): string {
  const { actions: texts, statuses } = words.texts;
  switch (step.do) {
    case 'take-down-item':
      return step.blockContent
        ? texts.takeDownForGood(itemKey(step.item), words.number(CONTENT_BLOCK_DAYS))
        : texts.takeDown(itemKey(step.item));
    case 'hide-item':
      return texts.hide(itemKey(step.item));
    case 'show-item':
      return texts.show(itemKey(step.item));
    case 'review-reported-item':
      return texts.reviewItem(itemKey(step), statuses[step.status]);
    case 'release-item':
      return texts.release(itemKey(step.item));
    case 'start-rescan':
      return texts.rescan;
    case 'take-down-owner':
      return texts.takeDownOwner(shortened(step.ownerId));
    case 'set-owner-terms':
      return texts.setTerms(shortened(step.terms.ownerId));
    case 'take-down-many': {
      const { target, limit, blockContent } = step.takedown;
      const what = texts.takeDownMany[target.by](shortened(target.value), words.number(limit));
      return blockContent || target.by === 'content'
        ? `${what} ${texts.blockToo(words.number(CONTENT_BLOCK_DAYS))}`
        : what;
    }
    case 'block-content':
      return texts.blockContent(shortened(step.hash), words.number(CONTENT_BLOCK_DAYS));
    case 'resend-notification':
      return texts.resend(step.id);
    case 'unblock-content':
      return texts.unblockContent(shortened(step.hash));
    case 'block-clients': {
      const { ip, uaPattern, expiresAt } = step.clients;
      const agent = uaPattern === null ? null : texts.agent(uaPattern);
      const who = ip === null || agent === null ? (ip ?? agent ?? '') : texts.both(ip, agent);
      return texts.block(who, expiresAt === null ? null : words.day(expiresAt));
    }
    case 'end-block':
      return texts.endBlock(step.id);
    case 'review-report':
      return step.status === undefined ? texts.note : texts.review(statuses[step.status]);
  }
}
