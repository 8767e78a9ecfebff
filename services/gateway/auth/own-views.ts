import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import type { RequestContext } from '../http/request-context.ts';
import { createSignedMarks } from './signed-mark.ts';

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
  const marks = createSignedMarks(secret, 'own view');
  const subject = ({ clientKey }: RequestContext, item: ItemRef): string => `${itemKey(item)} ${clientKey}`;
  return {
    parameterFor(context, item) {
      const hour = Math.floor(Date.now() / 1000 / HOUR_SECONDS);
      return `viewed=${marks.make(subject(context, item), (hour + 2) * HOUR_SECONDS)}`;
    },
    isOwn(context, item) {
      if (!context.search.includes('viewed=')) return false;
      return marks.isRight(subject(context, item), context.query().get('viewed') ?? '');
    },
  };
}
