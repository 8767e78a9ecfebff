import { servicePagePolicy } from '../resolve/security-headers.ts';

interface ServicePageOptions {
  status?: number;
  headers?: Record<string, string>;
  /** Path of a hosted file that the page shows. */
  shown?: string;
}

/** One of the service's own pages, under their strict policy. */
export function servicePage(
  request: Request,
  markup: string,
  { status = 200, headers = {}, shown }: ServicePageOptions = {},
): Response {
  return new Response(markup, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': servicePagePolicy(request.headers.get('host'), shown),
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
      Vary: 'Accept, Sec-Fetch-Dest',
      ...headers,
    },
  });
}
