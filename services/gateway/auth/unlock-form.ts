import { errors } from '../../../shared/errors.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import { isOfPage, requireOwnPage } from '../http/own-page.ts';
import type { Exchange } from '../http/request-context.ts';
import { createSignedMarks } from './signed-mark.ts';

/** Longer than a person leaves a form open. */
const LIFE_SECONDS = 86_400;

/** Tells the password form of an item from other pages that send its fields: ten wrong passwords lock a visitor out. */
export interface UnlockForms {
  /** What the form sends along where its origin does not tell whose it is; `null` elsewhere. */
  markFor(exchange: Exchange, item: ItemRef): string | null;
  /** @throws CROSS_SITE_FORBIDDEN when a page sends the fields that is not the form */
  requireForm(exchange: Exchange, item: ItemRef, mark: string): void;
}

/**
 * On the content host the form is in a sandbox and sends `Origin: null`, and hosted pages have the host's own origin: so
 * the form carries a mark, which is given to a tab only, for this item and client. No script gets to see it.
 */
export function createUnlockForms(secret: string): UnlockForms {
  const marks = createSignedMarks(secret, 'unlock form');
  const subject = ({ clientKey }: Exchange, item: ItemRef): string => `${itemKey(item)} ${clientKey}`;

  return {
    markFor(exchange, item) {
      const destination = exchange.request.headers.get('sec-fetch-dest');
      if (!exchange.onContentHost || (destination !== null && destination !== 'document')) return null;
      return marks.make(subject(exchange, item), Math.floor(Date.now() / 1000) + LIFE_SECONDS);
    },
    requireForm(exchange, item, mark) {
      if (!exchange.onContentHost) requireOwnPage(exchange);
      else if (isOfPage(exchange) && !marks.isRight(subject(exchange, item), mark))
        throw errors.crossSiteForbidden();
    },
  };
}
