import { LANGUAGE_HEADERS } from '../http/language.ts';
import type { RequestContext } from '../http/request-context.ts';
import { OWN_SANDBOX, servicePagePolicy } from './service-page-policy.ts';

interface ServicePageOptions {
  status?: number;
  headers?: Record<string, string>;
  /** Path of a hosted file that the page shows. */
  shown?: string;
  /** Path of a page of the service that it frames. */
  framed?: string;
  /** Path of a folder of pictures that the page shows. */
  pictures?: string;
  /** Whether it is sandboxed; left out, it is on the content host. */
  sandboxed?: boolean;
  /** See `servicePagePolicy`. */
  formsLeadTo?: string | null;
}

/**
 * One of the service's own pages, under their strict policy. On the content host, which hosted pages share, the page is
 * sandboxed: otherwise a hosted page could read it in a window that it has opened. On an item's own host its links and assets
 * are the service's: there every path is the item's.
 */
export function servicePage(
  context: Pick<RequestContext, 'request' | 'onContentHost' | 'itemHost' | 'baseUrl'>,
  markup: string,
  options: ServicePageOptions = {},
): Response {
  const { status = 200, headers = {}, shown = null, framed = null, formsLeadTo = null } = options;
  const { pictures = null, sandboxed = context.onContentHost } = options;
  const { request, itemHost, baseUrl } = context;
  const host = request.headers.get('host');
  const service = itemHost === null ? host : new URL(baseUrl).host;
  const policy = servicePagePolicy({ host, service, shown, framed, formsLeadTo, pictures });
  // Texts in a page have no quotation marks of their own, so only attributes match.
  const shownMarkup =
    itemHost === null ? markup : markup.replace(/ (href|src|action)="\/(?!\/)/g, ` $1="${baseUrl}/`);
  return new Response(shownMarkup, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `${policy}${sandboxed ? `; ${OWN_SANDBOX}` : ''}`,
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
      Vary: `Accept, Sec-Fetch-Dest, ${LANGUAGE_HEADERS}`,
      ...headers,
    },
  });
}
