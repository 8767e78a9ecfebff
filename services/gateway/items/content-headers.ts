import { PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import { isUnrestricted, type LiveItemRecord } from '../../../shared/items/item-record.ts';
import { tellsDestination } from '../http/preferred-type.ts';
import type { RequestContext } from '../http/request-context.ts';

/** The Cache-Control of an answer about an item: `open`, or `private, no-store` when it is not for all. */
export const cacheControl = (record: Pick<LiveItemRecord, 'passwordHash' | 'hidden'>, open = 'no-cache') => ({
  'Cache-Control': isUnrestricted(record) ? open : 'private, no-store',
});

/** Whether an item is in the gallery and for search engines (specification 2.3). */
export const isListed = (record: LiveItemRecord): boolean =>
  record.namespace === PUBLIC_NAMESPACE && isUnrestricted(record);

/** Search engines index public items only (specification 9.3). */
export const robotsHeaders = (record: LiveItemRecord): Record<string, string> =>
  isListed(record) ? {} : { 'X-Robots-Tag': 'noindex' };

/** Request headers that answers with an item's content depend on. */
export const VARY = 'Accept, Accept-Encoding, Sec-Fetch-Dest';

/** Headers of every answer with an item's content; `open` is the Cache-Control of one that is for all. */
export const contentHeaders = (record: LiveItemRecord, open = 'no-cache'): Record<string, string> => ({
  ...robotsHeaders(record),
  ...cacheControl(record, open),
  'Referrer-Policy': 'no-referrer',
  Vary: VARY,
});

/** Files and parts of sites may be kept for an hour (specification 9.3). */
export const FILE_CACHE = 'public, max-age=3600';

/**
 * Isolation (specification 23.1): hosted content never runs with the service's origin. A sandbox without `allow-same-origin`
 * gives it an opaque one: no storage, no cookies, no credentials.
 */
export const SANDBOX = 'sandbox allow-forms allow-popups allow-modals allow-downloads';

/** Active types that are data here: shown, never run. */
const SCRIPTLESS = /^(?:image\/svg\+xml|text\/xml|application\/xml)\b/;

/** Whether content of a type is shown and never run. */
export const isScriptless = (contentType: string): boolean => SCRIPTLESS.test(contentType);

/**
 * Which origin uploaded content runs with: `opaque` is nobody's, `shared` that of the content host of all items
 * (CONTENT_BASE_URL), `own` that of a host which serves this item alone.
 */
export type ContentOrigin = 'opaque' | 'shared' | 'own';

/** @param separateHost whether all items have a content host together */
export function contentOriginOf(
  { itemHost, request }: Pick<RequestContext, 'itemHost' | 'request'>,
  separateHost: boolean,
): ContentOrigin {
  if (itemHost !== null) return 'own';
  return separateHost && tellsDestination(request) ? 'shared' : 'opaque';
}

/** The header with the policy; none where content is restricted by nothing but its origin. */
export type Policy = { 'Content-Security-Policy'?: string };

/**
 * For bytes as people have uploaded them. On the content host of all items they may keep its origin unless they are protected:
 * another page of that origin could look into an item that a person has unlocked.
 */
export function contentPolicy(contentType: string, origin: ContentOrigin, isProtected: boolean): Policy {
  if (origin === 'own') return {};
  if (isScriptless(contentType)) return { 'Content-Security-Policy': SANDBOX };
  const keepsOrigin = origin === 'shared' && !isProtected;
  return {
    'Content-Security-Policy': `${SANDBOX} allow-scripts${keepsOrigin ? ' allow-same-origin' : ''}`,
  };
}

/** A document format that browsers show in a viewer of their own, which a sandbox would keep from starting. */
const VIEWED = /^application\/pdf\b/;

const VIEWED_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Content-Security-Policy of a file as it was uploaded. */
export const filePolicy = (contentType: string, origin: ContentOrigin, isProtected: boolean): Policy =>
  VIEWED.test(contentType)
    ? { 'Content-Security-Policy': VIEWED_POLICY }
    : contentPolicy(contentType, origin, isProtected);
