import { errors } from '../../../shared/errors.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import { isOfPage, requireOwnPage } from '../http/own-page.ts';
import type { RequestContext } from '../http/request-context.ts';
import { createSignedMarks } from './signed-mark.ts';

/** Longer than a person leaves a form open. */
const LIFE_SECONDS = 86_400;

/** Tells the password form of an item from other pages that send its fields: ten wrong passwords lock a visitor out. */
export interface UnlockForms {
  /**
   * A signed mark for a hidden field of the form, on the content host, where its origin does not identify it; `null`
   * elsewhere.
   */
  markFor(context: RequestContext, item: ItemRef): string | null;
  /** @throws CROSS_SITE_FORBIDDEN when a page sends the fields that is not the form */
  requireForm(context: RequestContext, item: ItemRef, mark: string): void;
}

/**
 * On the content host, the origin does not identify the form: the form is sandboxed and sends `Origin: null`, and hosted
 * pages have the host's own origin. There the form carries a signed mark for this item and client. Answers to a script's
 * fetch (by Sec-Fetch-Dest) do not have it, so that no script sees it.
 */
export function createUnlockForms(secret: string): UnlockForms {
  const marks = createSignedMarks(secret, 'unlock form');
  const subject = ({ clientKey }: RequestContext, item: ItemRef): string => `${itemKey(item)} ${clientKey}`;

  return {
    markFor(context, item) {
      const destination = context.request.headers.get('sec-fetch-dest');
      if (!context.onContentHost || (destination !== null && destination !== 'document')) return null;
      return marks.make(subject(context, item), Math.floor(Date.now() / 1000) + LIFE_SECONDS);
    },
    requireForm(context, item, mark) {
      if (!context.onContentHost) requireOwnPage(context);
      else if (isOfPage(context) && !marks.isRight(subject(context, item), mark))
        throw errors.crossSiteForbidden();
    },
  };
}
