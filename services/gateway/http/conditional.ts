import { heldTag, plainTag } from './content-coding.ts';

/** Whether If-None-Match names the current version, in a form that the client accepts. */
export const hasCurrent = ({ headers }: Request, etag: string): boolean => heldTag(headers, etag) !== null;

const ENTITY_TAG = /(?:^|,)[ \t]*(W\/)?("[^"]*")(?=[ \t]*(?:,|$))/g;

/**
 * The versions that If-Match allows a change of, with their quotes; `'*'`: any; `null`: the header is not there. Weak
 * tags are left out, as none of them ever matches here (RFC 9110, section 13.1.1: strong comparison). A header
 * without a strong tag allows nothing. Tags of compressed forms are those of the plain one here: they name one version.
 */
export function parseIfMatch(header: string | null): string[] | '*' | null {
  if (header === null) return null;
  if (header.trim() === '*') return '*';
  return [...header.matchAll(ENTITY_TAG)].flatMap(([, weak, tag]) =>
    weak === undefined && tag ? [plainTag(tag)] : [],
  );
}

/** An entity tag as the services know it. */
export const unquoted = (tag: string): string => tag.slice(1, -1);

/**
 * The ETags, without quotes, one of which content must have for its change (RFC 9110, section 13.1.1). `null`: any, also for
 * `*`, as a change is of what is there.
 */
export function parseChangeOf({ headers }: Request): string[] | null {
  const ifMatch = parseIfMatch(headers.get('if-match'));
  return ifMatch === '*' || ifMatch === null ? null : ifMatch.map(unquoted);
}
