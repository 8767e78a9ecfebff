import type { RequestContext } from './request-context.ts';

/** Response headers that a script on another origin may read (specification 1.4). */
const EXPOSED = [
  'X-Views, ETag, X-Existing-Resource, X-Show-Top-Bar, X-Owner-Token, Location',
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id',
  'Accept-Ranges, Content-Range, Content-Disposition, X-Total-Count',
].join(', ');

/** CORS headers that let scripts of any origin read a response, without credentials. See `isOpenToOrigins`. */
export const CORS_HEADERS: Record<string, string> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED,
};

const ALLOWED_REQUEST_HEADERS = [
  'Content-Type, Content-Encoding, X-Owner-Token, X-Password, Idempotency-Key, X-Delivery-Mode',
  'If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range, Range, Accept, User-Agent, Last-Event-ID',
].join(', ');

const ALL_METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT';

/**
 * The answer to a preflight and to any OPTIONS.
 * @param methods of the address; empty where nothing is. There a script may send any, so that it can read the 404.
 */
export function preflight(methods: readonly string[], { isOpenToOrigins }: RequestContext): Response {
  const allowed = methods.join(', ');
  const headers = { Allow: allowed || 'OPTIONS' };
  if (!isOpenToOrigins) return new Response(null, { status: 204, headers });
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      'Access-Control-Allow-Methods': allowed || ALL_METHODS,
      'Access-Control-Allow-Headers': ALLOWED_REQUEST_HEADERS,
      'Access-Control-Max-Age': '86400',
    },
  });
}

/** Adds what every answer has. Of the answer to a HEAD, Bun sends the headers only, the body's length among them. */
export function addCommonHeaders(headers: Headers, context: RequestContext): void {
  if (context.isOpenToOrigins)
    for (const name in CORS_HEADERS) if (!headers.has(name)) headers.set(name, CORS_HEADERS[name] ?? '');
  headers.set('X-Request-Id', context.requestId);
  if (context.rateHeaders !== null) {
    headers.set('RateLimit-Limit', String(context.rateHeaders.limit));
    headers.set('RateLimit-Remaining', String(context.rateHeaders.remaining));
    headers.set('RateLimit-Reset', String(context.rateHeaders.resetSeconds));
  }
  headers.set('X-Content-Type-Options', 'nosniff');
  if (context.itemHost !== null) keepApart(headers, context);
}

/**
 * Keeps an item's own host apart from those of its neighbours: its documents get an agent cluster of their own, and windows of
 * other origins no hold on them; caches keep what the item itself has asked for apart from what others have. Other
 * pages cannot embed protected content.
 */
function keepApart(headers: Headers, { item, clearsSiteData }: RequestContext): void {
  headers.set('Origin-Agent-Cluster', '?1');
  headers.set('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
  headers.append('Vary', 'Sec-Fetch-Site');
  if (item === null || /^(?:private|no-store)\b/.test(headers.get('Cache-Control') ?? ''))
    headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  // A service worker would go on with what was taken down.
  if (clearsSiteData) headers.set('Clear-Site-Data', '"cache", "storage"');
}
