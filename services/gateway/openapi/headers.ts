import { type TSchema, Type } from '@sinclair/typebox';
import { type Header, headerRef, type Reference } from './operation.ts';

const text = (example: string) => Type.String({ minLength: 1, examples: [example] });
const count = (example: number, minimum = 0) => Type.Integer({ minimum, examples: [example] });

const header = (description: string, schema: TSchema): Header => ({ description, schema });
const always = (description: string, schema: TSchema): Header => ({ description, required: true, schema });

/** Every header that a response can carry, but for those of HTTP's transport. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': always(
    'Names this exchange; quote it when you report a problem. The same as `requestId` of an error.',
    Type.String({ pattern: '^[A-Za-z0-9_-]{16}$', examples: ['V1StGXR8_Z5jdHi6'] }),
  ),
  'X-Content-Type-Options': always(
    'Browsers must not guess another type.',
    Type.Literal('nosniff', { examples: ['nosniff'] }),
  ),
  'Access-Control-Allow-Origin': header(
    'Scripts of any origin may read the answer, without credentials. Not on the operator’s addresses.',
    Type.Literal('*', { examples: ['*'] }),
  ),
  'Access-Control-Expose-Headers': header(
    'The headers that such scripts may read.',
    text('X-Views, ETag, X-Existing-Resource'),
  ),
  'Access-Control-Allow-Methods': header('Methods that scripts of other origins may use.', text('GET, HEAD')),
  'Access-Control-Allow-Headers': header(
    'Request headers that scripts of other origins may send.',
    text('Content-Type, X-Owner-Token'),
  ),
  'Access-Control-Max-Age': header('Seconds for which a browser may remember this.', count(86_400)),
  Allow: always('What this address can do.', text('GET, HEAD, OPTIONS')),
  'RateLimit-Limit': header(
    'Requests that your address may make in a window. On limited routes.',
    count(300),
  ),
  'RateLimit-Remaining': header('Requests left in the window.', count(299)),
  'RateLimit-Reset': header('Seconds until the window ends.', count(42)),
  'Retry-After': always('Seconds after which trying again makes sense.', count(2)),
  'WWW-Authenticate': always(
    'What is asked for: the header `X-Admin-Password`.',
    Type.Literal('AdminPassword', { examples: ['AdminPassword'] }),
  ),
  Location: always(
    'Where to go on, or where the new item is.',
    text('https://perch.example/public/Ab3dE6gH9k'),
  ),
  ETag: header(
    'Tag of this version, for `If-None-Match`, `If-Range` and, where it is offered, `If-Match`. That of a compressed form ends in the name of its coding; both name the same version.',
    Type.String({ pattern: '^(?:W/)?"[^"]*"$', examples: ['"f6a3c1d2e4b5968778695a4b3c2d1e0f"'] }),
  ),
  'Last-Modified': header(
    'When the content was last changed, for `If-Modified-Since`; from two seconds after that at the latest. Not of pages with the top bar, as a renewal changes those.',
    text('Sat, 21 Nov 2026 07:20:21 GMT'),
  ),
  'Cache-Control': header(
    'How long the answer may be kept: `public, max-age=3600` for files and sites, `no-cache` (ask again each time) for pages, documents and values, `private, no-store` for what has a password.',
    text('no-cache'),
  ),
  Vary: header(
    'Request headers that the answer depends on.',
    text('Accept, Accept-Encoding, Sec-Fetch-Dest'),
  ),
  'X-Views': header('How often the item has been read so far, this read included.', count(12)),
  'X-Show-Top-Bar': header(
    "Of pages: whether the top bar is shown. The page's own choice, else the server's default.",
    Type.Unsafe({ type: 'string', enum: ['true', 'false'], examples: ['false'] }),
  ),
  'X-Existing-Resource': header(
    'The body is that of a page which you published before: the same bytes, in `public`, without a password, within 24 hours.',
    Type.Literal('1', { examples: ['1'] }),
  ),
  'X-Owner-Token': header(
    'The owner token, where the body has no room for it.',
    text('own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt'),
  ),
  'X-Accel-Buffering': header(
    'Of a stream of events: a proxy must pass it on at once.',
    Type.Literal('no', { examples: ['no'] }),
  ),
  'X-Total-Count': always('Items in the whole list, whatever the page.', count(2)),
  'X-Total-Is-Lower-Bound': header(
    'There are more than `X-Total-Count`, which were not counted.',
    Type.Literal('true', { examples: ['true'] }),
  ),
  Link: header(
    'Where the list goes on (RFC 8288), whatever is added meanwhile; absent at its end.',
    text('<https://perch.example/api/admin/access?cursor=MTc5NTI0NjQyMTAwMC40NzEx>; rel="next"'),
  ),
  'Accept-Ranges': header(
    'Parts can be asked for; a compressed form has none.',
    Type.Literal('bytes', { examples: ['bytes'] }),
  ),
  'Content-Range': always(
    'Which part this is, and how many bytes there are in all.',
    Type.String({ pattern: '^bytes (?:\\d+-\\d+|\\*)/\\d+$', examples: ['bytes 0-99/2048'] }),
  ),
  'Content-Disposition': header(
    'Name of the file: as a download with `dl`, else of files only.',
    text('attachment; filename="notes.md"; filename*=UTF-8\'\'notes.md'),
  ),
  'Content-Encoding': header(
    'The body is compressed: `Accept-Encoding` allowed it, and the body is text of 1 KB or more.',
    Type.Unsafe({ type: 'string', enum: ['zstd', 'br', 'gzip'], examples: ['zstd'] }),
  ),
  'Content-Security-Policy': header(
    'What the content may do in a browser: what people upload runs in a sandbox without an origin.',
    text('sandbox allow-forms allow-popups allow-modals allow-downloads allow-scripts'),
  ),
  'Referrer-Policy': header('Whether links tell where they were followed.', text('no-referrer')),
  'X-Frame-Options': header(
    "The service's own pages cannot be framed.",
    Type.Literal('DENY', { examples: ['DENY'] }),
  ),
  'X-Robots-Tag': header(
    'Not for search engines: outside of `public`, or with a password.',
    Type.Literal('noindex', { examples: ['noindex'] }),
  ),
  'Set-Cookie': header(
    'Of an unlocked item: opens that one for an hour; HttpOnly, SameSite=Lax. Of a sign-in: opens the console for an hour; HttpOnly, SameSite=Strict.',
    text(
      'perch_unlock=1795250421.c2lnbmF0dXJl; Path=/public/Ab3dE6gH9k; Max-Age=3600; HttpOnly; SameSite=Lax',
    ),
  ),
} satisfies Record<string, Header>;

export type HeaderName = keyof typeof RESPONSE_HEADERS;

/** On every response. */
export const COMMON_HEADERS: readonly HeaderName[] = [
  ...(['X-Request-Id', 'X-Content-Type-Options'] as const),
  ...(['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'] as const),
];

export const RATE_LIMIT: HeaderName[] = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Headers of content, however it is shown. */
export const CONTENT_HEADERS: HeaderName[] = [
  ...(['Vary', 'Referrer-Policy', 'Content-Security-Policy', 'X-Robots-Tag', 'Content-Disposition'] as const),
];

/** Headers of one response: those that every response has, those that it always has, those that it can have. */
export function headers(
  required: readonly HeaderName[] = [],
  optional: readonly HeaderName[] = [],
): Record<string, Header | Reference> {
  return {
    ...Object.fromEntries([...COMMON_HEADERS, ...optional].map((name) => [name, headerRef(name)])),
    ...Object.fromEntries(required.map((name) => [name, requiredHeader(name)])),
  };
}

function requiredHeader(name: HeaderName): Header | Reference {
  const known: Header = RESPONSE_HEADERS[name];
  return known.required ? headerRef(name) : { ...known, required: true };
}
