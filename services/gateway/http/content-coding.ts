import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** Content codings of answers (RFC 9110, section 8.4.1), the best first. */
export const CODINGS = ['zstd', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** Shorter bodies travel as they are: they fit into one packet either way. */
export const MIN_CODED_BYTES = 1_024;

/** The codings that a request accepts. */
interface Accepted {
  /** The one that its answer has; `null`: none. */
  best: Coding | null;
  all: readonly Coding[];
}

const NONE: Accepted = { best: null, all: [] };

/** There are few values of Accept-Encoding in use, and to read one takes ten times as long as to find it here. */
const known = new LRUCache<string, Accepted>({ max: 256 });
const KNOWN_CHARACTERS = 200;

/** The types for its second parameter are missing. */
interface WithPreference {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[];
}

function accepted(headers: Headers): Accepted {
  const header = headers.get('accept-encoding');
  if (header === null || header === '') return NONE;
  let found = known.get(header);
  if (found === undefined) {
    found = negotiated(header);
    if (header.length <= KNOWN_CHARACTERS) known.set(header, found);
  }
  return found;
}

/** `x-gzip` is another name of gzip (RFC 9110, section 8.4.1.3). */
function negotiated(header: string): Accepted {
  const codings = header.replace(/\bx-gzip\b/gi, 'gzip');
  const negotiator = new Negotiator({ headers: { 'accept-encoding': codings } }) as Negotiator &
    WithPreference;
  const [first] = negotiator.encodings([...CODINGS, 'identity'], { preferred: CODINGS });
  const all = negotiator.encodings(CODINGS);
  return {
    best: CODINGS.find((coding) => coding === first) ?? null,
    all: CODINGS.filter((coding) => all.includes(coding)),
  };
}

/**
 * The coding that the answer to a request has where its content allows it; `null`: the plain form, which any answer to a
 * request for ranges has. A client that rules the plain form out, and all that is offered with it, gets it all the same
 * (RFC 9110, section 12.5.3, allows that).
 */
export const codingFor = (headers: Headers): Coding | null =>
  headers.has('range') ? null : accepted(headers).best;

/** The ETag of a form of a content (RFC 9110, section 8.8.3.3), with its quotes. */
export const tagOfForm = (etag: string, coding: Coding | null): string =>
  coding === null ? etag : `${etag.slice(0, -1)}-${coding}"`;

/** The ETag of the plain form. */
export const plainTag = (etag: string): string => etag.replace(/-(?:zstd|br|gzip)"$/, '"');

/**
 * The ETag under which the client has the current version, in a form that it accepts; `null` when If-None-Match names none
 * (RFC 9110, section 13.1.2: weak comparison). A 304 bears this ETag, so that a cache finds what it holds.
 * @param etag of the plain form
 */
export function heldTag(headers: Headers, etag: string): string | null {
  const ifNoneMatch = headers.get('if-none-match');
  if (ifNoneMatch === null) return null;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return etag;
  const forms = [etag, ...accepted(headers).all.map((coding) => tagOfForm(etag, coding))];
  for (const candidate of ifNoneMatch.split(',')) {
    const tag = candidate.trim().replace(/^W\//, '');
    if (forms.includes(tag)) return tag;
  }
  return null;
}

/** Types of text, and what is written as text. */
const TEXT =
  /^(?:text\/(?!event-stream)|image\/svg\+xml|application\/(?:(?:x-)?javascript|(?:x-)?(?:nd)?json|(?:x-)?yaml|toml|xml|rtf|sql|graphql|[\w.-]+\+(?:json|xml|yaml))(?:;|$))/i;

/** Whether content of a type is compressed. */
export const isCompressible = (contentType: string): boolean => TEXT.test(contentType);
