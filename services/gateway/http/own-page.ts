import { errors } from '../../../shared/errors.ts';
import { type ItemHosts, isHostOf } from './hosts.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Lets through what a page of this very origin asks for, what a person typed in, and programs, which send neither of
 * the two headers that only browsers set (Fetch Metadata; RFC 6454, section 7). A page without an origin, as hosted
 * ones are, sends `Origin: null`.
 * @throws CROSS_SITE_FORBIDDEN for what another page made the browser send
 */
export function requireOwnPage({ request }: RequestContext): void {
  const { headers } = request;
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  const isOwn =
    site === null
      ? origin === null || isHostOf(headers.get('host'), URL.parse(origin))
      : origin !== 'null' && (site === 'same-origin' || site === 'none');
  if (!isOwn) throw errors.crossSiteForbidden();
}

/**
 * Lets through only what a page of this very origin sends, by its own word: for a change that a cookie would allow, which a
 * browser adds by itself.
 * @throws CROSS_SITE_FORBIDDEN for everything else, requests without either header among it
 */
export function requireOwnScript(context: RequestContext): void {
  requireOwnPage(context);
  const { headers } = context.request;
  const site = headers.get('sec-fetch-site');
  if (site === null ? headers.get('origin') === null : site !== 'same-origin')
    throw errors.crossSiteForbidden();
}

/** Whether a script or form of some web page sent the request: browsers say so in `Origin` or `Sec-Fetch-Site`. */
export const isSentByPage = ({ request: { headers } }: RequestContext): boolean =>
  headers.has('origin') || headers.has('sec-fetch-site');

/**
 * Lets through all but hosted pages: those without an origin, and those with that of the content host or of an item's own.
 * @throws CROSS_SITE_FORBIDDEN
 */
export function refuseHostedPage(
  { request }: RequestContext,
  contentBaseUrl: string | null,
  itemHosts: Pick<ItemHosts, 'isItemOrigin'>,
): void {
  const origin = request.headers.get('origin');
  if (origin === null) return;
  const page = URL.parse(origin);
  const isOnContentHost =
    page !== null && contentBaseUrl !== null && isHostOf(page.host, new URL(contentBaseUrl));
  if (origin === 'null' || isOnContentHost || itemHosts.isItemOrigin(origin))
    throw errors.crossSiteForbidden();
}

/**
 * On an item's own host: keeps pages of its neighbours, other items below the same domain, from showing the item in a frame
 * in which what it keeps is at hand. Pages of other sites may: there browsers give it a storage apart.
 * @throws CROSS_SITE_FORBIDDEN
 */
export function refuseNeighbourFrame({ request: { headers } }: RequestContext): void {
  const isFrame = FRAMES.has(headers.get('sec-fetch-dest') ?? '');
  if (isFrame && headers.get('sec-fetch-site') === 'same-site') throw errors.crossSiteForbidden();
}

const FRAMES = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe']);
