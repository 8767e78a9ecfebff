import { createHmac, timingSafeEqual } from 'node:crypto';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import type { RequestContext } from '../http/request-context.ts';

/** Signed texts with an expiry: CSRF tokens of forms, tickets of unlocked items, and cookies. */
export interface SignedTokens {
  /** Valid for one subject, until a moment in seconds since the epoch. */
  sign(subject: string, until: number): string;
  verify(subject: string, token: string): boolean;
}

const TOKEN = /^(\d{1,12})\.([\w-]{43})$/;

/** @param purpose tokens for one are not valid for another */
export function createSignedTokens(secret: string, purpose: string): SignedTokens {
  const signatureOf = (subject: string, until: number): string =>
    createHmac('sha256', secret).update(`${purpose} ${subject} ${until}`).digest('base64url');
  return {
    sign: (subject, until) => `${until}.${signatureOf(subject, until)}`,
    verify(subject, token) {
      const [, until = '', signature = ''] = TOKEN.exec(token) ?? [];
      if (Number(until) * 1000 <= Date.now()) return false;
      return timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(subject, Number(until))));
    },
  };
}

const HOUR_SECONDS = 3600;

/** Recognises a viewer page's own requests for its file: they count no view, as the page itself was counted. */
export interface OwnViews {
  /** The parameter of the page's own requests for the file, the same for a client all through an hour. */
  parameterFor(context: RequestContext, item: ItemRef): string;
  /** Whether the request carries that parameter, given to this very client one or two hours ago at the most. */
  isOwn(context: RequestContext, item: ItemRef): boolean;
}

/**
 * Signed, as a parameter that anybody could write would let other pages embed a file without ever counting; for one
 * client, as else they could hand on what they were given; and for full hours, so that a page that is opened again finds
 * the file in the browser's cache.
 */
export function createOwnViews(secret: string): OwnViews {
  const tokens = createSignedTokens(secret, 'own view');
  const subject = ({ clientKey }: RequestContext, item: ItemRef): string => `${itemKey(item)} ${clientKey}`;
  return {
    parameterFor(context, item) {
      const hour = Math.floor(Date.now() / 1000 / HOUR_SECONDS);
      return `viewed=${tokens.sign(subject(context, item), (hour + 2) * HOUR_SECONDS)}`;
    },
    isOwn(context, item) {
      if (!context.search.includes('viewed=')) return false;
      return tokens.verify(subject(context, item), context.query().get('viewed') ?? '');
    },
  };
}
