import type { AuditAction } from '../../../../../shared/contracts/audit.ts';
import { errors, type PerchError } from '../../../../../shared/errors.ts';
import { itemKey } from '../../../../../shared/items/item.ts';
import { asPerchError } from '../../../http/error-status.ts';
import type { Acting, OperatorActions } from '../operator-actions.ts';
import type { Plan, Step } from './plan.ts';

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
      return await actions.takeDown(acting, step.item).catch(unlessGone);
    case 'hide-item':
    case 'show-item':
      return await actions.setHidden(acting, step.item, step.do === 'hide-item');
    case 'take-down-owner':
      return await actions.takeDownOwner(acting, step.ownerId);
    case 'set-owner-terms':
      return await actions.setTerms(acting, step.terms);
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

/** A step in words, as it will be done. */
export function describeStep(step: Step): string {
  switch (step.do) {
    case 'take-down-item':
      return `Take down ${itemKey(step.item)}. It cannot be brought back.`;
    case 'hide-item':
      return `Hide ${itemKey(step.item)}.`;
    case 'show-item':
      return `Show ${itemKey(step.item)} again.`;
    case 'take-down-owner':
      return `Take down everything of owner ${step.ownerId.slice(0, 16)}…, now and of every kind. It cannot be brought back.`;
    case 'set-owner-terms':
      return `Set the terms of owner ${step.terms.ownerId.slice(0, 16)}….`;
    case 'block-clients': {
      const { ip, uaPattern, expiresAt } = step.clients;
      const who = [ip, uaPattern === null ? null : `“${uaPattern}”`]
        .filter((part) => part !== null)
        .join(' with ');
      const until =
        expiresAt === null ? 'for good' : `until ${new Date(expiresAt).toISOString().slice(0, 10)}`;
      return `Block ${who} ${until}: it can create and change nothing.`;
    }
    case 'end-block':
      return `End the block ${step.id}.`;
    case 'review-report':
      return step.status === undefined
        ? 'Save the note of the report.'
        : `Mark the report as ${step.status}.`;
  }
}

/** The steps' names, for the page that says what was done. */
export const namesOf = (steps: readonly Step[]): string =>
  [...new Set<AuditAction>(steps.map((step) => step.do))].join(',');
