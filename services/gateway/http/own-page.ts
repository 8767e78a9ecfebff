import { errors } from '../../../shared/errors.ts';
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
      ? origin === null || hostOf(origin) === headers.get('host')
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

/** Whether a browser sends the request for a page, whichever it is. */
export const isOfPage = ({ request: { headers } }: RequestContext): boolean =>
  headers.has('origin') || headers.has('sec-fetch-site');

/**
 * Lets through all but hosted pages: those without an origin, and those with that of the content host.
 * @throws CROSS_SITE_FORBIDDEN
 */
export function refuseHostedPage({ request }: RequestContext, contentBaseUrl: string | null): void {
  const origin = request.headers.get('origin');
  if (origin === 'null' || (origin !== null && origin === contentBaseUrl)) throw errors.crossSiteForbidden();
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);
