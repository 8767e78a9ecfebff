import type { Clock } from '../../../shared/clock.ts';
import { errors } from '../../../shared/errors.ts';
import { selectRange } from '../http/byte-range.ts';
import { CORS_HEADERS } from '../http/common-headers.ts';
import { isUnmodified, lastModified, parseIfMatch, refuseModified } from '../http/conditional.ts';
import { codingFor, heldTag, isCompressible, tagOfForm } from '../http/content-coding.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ContentLocation, ContentReader } from './content-reader.ts';
import type { ResponseBodies } from './response-bodies.ts';

/** The store that bytes are read from, the maker of response bodies, and the clock for their dates. */
export interface BytesSource {
  reader: ContentReader;
  bodies: ResponseBodies;
  clock: Clock;
}

export interface BytesAnswer {
  location: ContentLocation;
  /** Without quotes. */
  etag: string;
  /** When its owner last changed it, in ms since the epoch. */
  changedAt: number;
  headers: Record<string, string>;
  /** 404 for a site's own error page, which knows neither conditions nor ranges. */
  status?: 200 | 404;
  /** Whether it is always sent whole: without ranges, and without a look at If-Match, which is there for these. */
  ignoresRanges?: boolean;
}

/**
 * Content as bytes: whole, in the form that the client prefers, a range of it, or 304 (RFC 9110, sections 13 and 14). The
 * headers of a HEAD tell the length; of the plain form nothing is read for it.
 * @throws PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE; UNAVAILABLE when the client has no room for the answer
 */
export async function respondWithBytes(
  { reader, bodies, clock }: BytesSource,
  context: RequestContext,
  { location, etag, changedAt, headers: own, status = 200, ignoresRanges = false }: BytesAnswer,
): Promise<Response> {
  const { request, isHead } = context;
  const tag = `"${etag}"`;
  const { length } = location;
  const conditional = status === 200;
  const headers: Record<string, string> = {
    ...CORS_HEADERS,
    ...own,
    ETag: tag,
    ...(ignoresRanges ? {} : { 'Accept-Ranges': 'bytes' }),
    ...(conditional ? lastModified(changedAt, clock.now()) : {}),
  };
  const modified = headers['Last-Modified'] ?? null;
  const hasParts = conditional && !ignoresRanges;
  const ifMatch = hasParts ? parseIfMatch(request.headers.get('if-match')) : null;
  if (ifMatch !== null && ifMatch !== '*' && !ifMatch.includes(tag)) throw errors.preconditionFailed();
  refuseModified(request.headers, modified);
  const held = conditional ? heldTag(request.headers, tag) : null;
  if (held !== null) return new Response(null, { status: 304, headers: { ...headers, ETag: held } });
  const hasForms = isCompressible(own['Content-Type'] ?? '');
  const coding = hasForms ? codingFor(request.headers) : null;
  const compressed = coding === null ? null : await reader.compressed(location, coding);
  if (coding !== null && compressed !== null) {
    const { 'Accept-Ranges': _, ...others } = headers;
    const ofForm = { 'Content-Encoding': coding, ETag: tagOfForm(tag, coding) };
    return new Response(bodies.of(context, compressed), { status, headers: { ...others, ...ofForm } });
  }
  if (isUnmodified(request.headers, modified)) return new Response(null, { status: 304, headers });
  // RFC 9110, section 14.2: ranges are for GET. Compressed and plain forms share one date, so it cannot validate If-Range where
  // there are both.
  const range = hasParts && !isHead ? selectRange(request, length, tag, hasForms ? null : modified) : null;
  if (range !== null) headers['Content-Range'] = `bytes ${range.start}-${range.end}/${length}`;
  const { start, end } = range ?? { start: 0, end: length - 1 };
  headers['Content-Length'] = String(end - start + 1);
  if (isHead) return new Response(null, { status, headers });
  const content = await reader.read(location, { start, end }, context);
  const body =
    content instanceof Uint8Array ? bodies.of(context, content, !reader.isCached(location)) : content;
  return new Response(body, { status: range === null ? status : 206, headers });
}
