import { createHmac, timingSafeEqual } from 'node:crypto';
import { errors } from '../../../shared/errors.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import type { Exchange } from '../http/exchange.ts';
import { isOfPage, requireOwnPage } from '../http/own-page.ts';

/** Longer than a person leaves a form open. */
const LIFE_SECONDS = 86_400;

const MARK = /^(\d{1,12})\.([\w-]{43})$/;

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
  const sign = (item: ItemRef, clientKey: string, until: number): string =>
    createHmac('sha256', secret)
      .update(`unlock form ${itemKey(item)} ${clientKey} ${until}`)
      .digest('base64url');

  const isRight = ({ clientKey }: Exchange, item: ItemRef, mark: string): boolean => {
    const [, until = '', signature = ''] = MARK.exec(mark) ?? [];
    if (Number(until) * 1000 <= Date.now()) return false;
    return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(item, clientKey, Number(until))));
  };

  return {
    markFor({ onContentHost, request, clientKey }, item) {
      const destination = request.headers.get('sec-fetch-dest');
      if (!onContentHost || (destination !== null && destination !== 'document')) return null;
      const until = Math.floor(Date.now() / 1000) + LIFE_SECONDS;
      return `${until}.${sign(item, clientKey, until)}`;
    },
    requireForm(exchange, item, mark) {
      if (!exchange.onContentHost) requireOwnPage(exchange);
      else if (isOfPage(exchange) && !isRight(exchange, item, mark)) throw errors.crossSiteForbidden();
    },
  };
}
