import type { AuditAction } from '../../../../../shared/contracts/audit.ts';
import { CONTENT_BLOCK_DAYS } from '../../../../../shared/contracts/takedowns.ts';
import { errors, type PerchError } from '../../../../../shared/errors.ts';
import { itemKey } from '../../../../../shared/items/item.ts';
import { asPerchError } from '../../../http/error-status.ts';
import type { Acting, OperatorActions } from '../operator-actions.ts';
import { CONTENT_HASH } from '../takedown-input.ts';
import type { Plan, Step } from './plan.ts';
import type { Words } from './words.ts';

/** The result of a plan: all of it was done, or `failed` says at which step it ended. */
export interface Performed {
  done: Step[];
  failed: { step: Step; error: PerchError } | null;
}

/** Does one step after the other, up to the first that fails: a report is settled last, when all else is done. */
export async function perform(
  actions: OperatorActions,
  acting: Acting,
  { steps, note }: Plan,
): Promise<Performed> {
  const done: Step[] = [];
  for (const step of steps) {
    try {
      acting.context.restartDeadline();
      await performStep(actions, { ...acting, note }, step);
      done.push(step);
    } catch (error) {
      return { done, failed: { step, error: asPerchError(error) } };
    }
  }
  return { done, failed: null };
}

async function performStep(actions: OperatorActions, acting: Acting, step: Step): Promise<unknown> {
  switch (step.do) {
    case 'take-down-item':
      // Of two clicks the second finds nothing, and its owner may have been faster.
      return await actions.takeDown(acting, step.item, step.blockContent).catch(unlessGone);
    case 'hide-item':
    case 'show-item':
      return await actions.setHidden(acting, step.item, step.do === 'hide-item');
    case 'review-reported-item': {
      const { do: _, ...review } = step;
      return await actions.reviewItem(acting, review);
    }
    case 'release-item':
      return await actions.release(acting, step.item, step.findingId);
    case 'start-rescan':
      return await actions.startRescan(acting);
    case 'take-down-owner':
      return await actions.takeDownOwner(acting, step.ownerId);
    case 'set-owner-terms':
      return await actions.setTerms(acting, step.terms);
    case 'take-down-many':
      return await actions.takeDownMany(acting, step.takedown);
    case 'block-content':
      return await actions.blockContent(acting, step.hash, step.reason);
    case 'unblock-content':
      if (!CONTENT_HASH.test(step.hash)) throw errors.blockedContentNotFound(step.hash);
      return await actions.unblockContent(acting, step.hash);
    case 'resend-notification':
      return await actions.resend(acting, step.id);
    case 'block-clients':
      return await actions.block(acting, step.clients);
    case 'end-block':
      if (!/^[\w-]{1,64}$/.test(step.id)) throw errors.blockNotFound(step.id);
      return await actions.endBlock(acting, step.id);
    case 'review-report': {
      const { do: _, ...review } = step;
      return await actions.review(acting, review);
    }
  }
}

function unlessGone(error: unknown): void {
  if (asPerchError(error).code !== 'NOT_FOUND') throw error;
}

/** The beginning of a hash; anything shorter stays as it is. */
const shortened = (text: string): string => (/^[0-9a-f]{32,64}$/.test(text) ? `${text.slice(0, 16)}…` : text);

/** A step in words, as it will be done. */
export function describeStep(step: Step, words: Words): string {
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

/** The steps' names, for the page that says what was done. */
export const namesOf = (steps: readonly Step[]): string =>
  [...new Set<AuditAction>(steps.map((step) => step.do))].join(',');
