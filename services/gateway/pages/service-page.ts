import { LANGUAGE_HEADERS } from '../http/language.ts';
import type { RequestContext } from '../http/request-context.ts';
import { OWN_SANDBOX, servicePagePolicy } from './service-page-policy.ts';

interface ServicePageOptions {
  status?: number;
  headers?: Record<string, string>;
  /** Path of a hosted file that the page shows. */
  shown?: string;
}

/**
 * One of the service's own pages, under their strict policy. On the content host, which hosted pages share, the page is
 * sandboxed: otherwise a hosted page could read it in a window that it has opened.
 */
export function servicePage(
  { request, onContentHost }: Pick<RequestContext, 'request' | 'onContentHost'>,
  markup: string,
  { status = 200, headers = {}, shown }: ServicePageOptions = {},
): Response {
  return new Response(markup, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `${servicePagePolicy(request.headers.get('host'), shown)}${onContentHost ? `; ${OWN_SANDBOX}` : ''}`,
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
      Vary: `Accept, Sec-Fetch-Dest, ${LANGUAGE_HEADERS}`,
      ...headers,
    },
  });
}
