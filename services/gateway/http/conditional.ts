/** Whether If-None-Match names the current version (RFC 9110, section 13.1.2: weak comparison). */
export function matchesEtag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}

const ENTITY_TAG = /(?:^|,)[ \t]*(W\/)?("[^"]*")(?=[ \t]*(?:,|$))/g;

/**
 * The versions that If-Match allows a change of, with their quotes; `'*'`: any; `null`: the header is not there. Weak
 * tags are left out, as none of them ever matches here (RFC 9110, section 13.1.1: strong comparison). A header
 * without a strong tag allows nothing.
 */
export function parseIfMatch(header: string | null): string[] | '*' | null {
  if (header === null) return null;
  if (header.trim() === '*') return '*';
  return [...header.matchAll(ENTITY_TAG)].flatMap(([, weak, tag]) =>
    weak === undefined && tag ? [tag] : [],
  );
}

/** An entity tag as the services know it. */
export const unquoted = (tag: string): string => tag.slice(1, -1);
