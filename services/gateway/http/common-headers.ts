import type { RequestContext } from './request-context.ts';

/** Response headers that a script on another origin may read (specification 1.4). */
const EXPOSED = [
  ...['X-Views', 'ETag', 'X-Existing-Resource', 'X-Show-Top-Bar', 'X-Owner-Token', 'Location'],
  ...['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After', 'X-Request-Id'],
  ...['Accept-Ranges', 'Content-Range', 'Content-Disposition', 'X-Total-Count'],
].join(', ');

/** CORS headers that let scripts of any origin read a response, without credentials. See `isOpenToOrigins`. */
export const CORS_HEADERS: Record<string, string> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
};

const ALLOWED_REQUEST_HEADERS = [
  ...[
    'Content-Type',
    'Content-Encoding',
    'X-Owner-Token',
    'X-Password',
    'Idempotency-Key',
    'X-Delivery-Mode',
  ],
  ...['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Range', 'Range', 'Accept', 'User-Agent'],
  ...['Last-Event-ID'],
].join(', ');

/** The answer to a preflight and to any OPTIONS. */
export function preflight(allowed: string[], { isOpenToOrigins }: RequestContext): Response {
  const methods = allowed.join(', ');
  if (!isOpenToOrigins) return new Response(null, { status: 204, headers: { Allow: methods } });
  return new Response(null, {
    status: 204,
    headers: {
      Allow: methods,
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': ALLOWED_REQUEST_HEADERS,
      'Access-Control-Max-Age': '86400',
    },
  });
}

/** Sets the headers that differ for each request: its id, and the client's rate limit. */
export function addOwnHeaders(headers: Headers, context: RequestContext): void {
  headers.set('X-Request-Id', context.requestId);
  if (context.rateHeaders === null) return;
  headers.set('RateLimit-Limit', String(context.rateHeaders.limit));
  headers.set('RateLimit-Remaining', String(context.rateHeaders.remaining));
  headers.set('RateLimit-Reset', String(context.rateHeaders.resetSeconds));
}
