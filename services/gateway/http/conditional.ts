import { errors } from '../../../shared/errors.ts';
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

/**
 * `parseIfMatch` for a change. Without If-Match, If-Unmodified-Since is refused: a date cannot tell two changes of a second apart,
 * and ignoring the header could write against the client's will.
 * @throws VALIDATION_FAILED
 */
export function ifMatchOfChange({ headers }: Request): ReturnType<typeof parseIfMatch> {
  const ifMatch = parseIfMatch(headers.get('if-match'));
  if (ifMatch === null && headers.has('if-unmodified-since')) {
    const message =
      'is looked at by reads only. For a change, send If-Match with the ETag of what you have read.';
    throw errors.validationFailed([{ field: 'If-Unmodified-Since', message }]);
  }
  return ifMatch;
}

/** An entity tag as the services know it. */
export const unquoted = (tag: string): string => tag.slice(1, -1);

/**
 * The ETags, without quotes, one of which content must have for its change (RFC 9110, section 13.1.1). `null`: any, also for
 * `*`, as a change is of what is there.
 * @throws VALIDATION_FAILED
 */
export function ifMatchTags(request: Request): string[] | null {
  const ifMatch = ifMatchOfChange(request);
  return ifMatch === '*' || ifMatch === null ? null : ifMatch.map(unquoted);
}

/**
 * `ifMatchTags` for the change of a JSON document, which `If-None-Match` counts for as well: as the document is there by then,
 * `*` always fails.
 * @throws PRECONDITION_FAILED, VALIDATION_FAILED
 */
export function documentIfMatchTags(request: Request): string[] | null {
  if (requiresAbsence(request)) throw errors.jsonTaken();
  return ifMatchTags(request);
}

/**
 * Whether a write, or a removal, is only allowed while its target does not exist (RFC 9110, section 13.1.2). If-None-Match
 * must be `*`: a list of versions is refused, because ignoring it could write against the client's will.
 * @throws VALIDATION_FAILED
 */
export function requiresAbsence({ headers }: Request): boolean {
  const ifNoneMatch = headers.get('if-none-match');
  if (ifNoneMatch !== null && ifNoneMatch.trim() !== '*') {
    throw errors.validationFailed([{ field: 'If-None-Match', message: 'can only be * for a write.' }]);
  }
  return ifNoneMatch !== null;
}

/**
 * How long after the beginning of its second a change is told, in ms. The header tells seconds: a further change in the same
 * second would be hidden behind an equal date, so the second has to be over. One more allows for the clocks of two processes.
 */
const TOLD_AFTER_MS = 2_000;

/** The time from which on Last-Modified tells a change (ms since the epoch, both). */
export const datedFrom = (changedAt: number): number => changedAt - (changedAt % 1_000) + TOLD_AFTER_MS;

/** When an answer made now will have another Last-Modified; `Infinity`: never, until the content changes. */
export const datedUntil = (changedAt: number, now: number): number => {
  const from = datedFrom(changedAt);
  return now < from ? from : Number.POSITIVE_INFINITY;
};

/** The header for content that was last changed at a moment; without it while it is too early to tell. */
export const lastModified = (changedAt: number, now: number): Record<string, string> =>
  now < datedFrom(changedAt) ? {} : { 'Last-Modified': httpDate(changedAt) };

/** Adds the header to those that are kept for all reads of a version, as soon as it can be told. */
export function dateKept(headers: Headers, changedAt: number, now: number): void {
  if (now >= datedFrom(changedAt) && !headers.has('last-modified'))
    headers.set('Last-Modified', httpDate(changedAt));
}

/**
 * Whether the client has the content by If-Modified-Since (RFC 9110, section 13.1.3). Where If-None-Match is there, it alone
 * decides; what is no date is ignored, and so is the condition where no date is told.
 * @param modified the Last-Modified of the answer
 */
export function isUnmodified(request: Headers, modified: string | null | undefined): boolean {
  const since = request.get('if-modified-since');
  if (since === null || modified === null || modified === undefined || request.has('if-none-match'))
    return false;
  const asked = parseHttpDate(since);
  return asked !== null && asked >= Date.parse(modified);
}

/**
 * Refuses content that is newer than the client wants it by If-Unmodified-Since (RFC 9110, section 13.1.4). Where If-Match is
 * there, it alone decides; what is no date is ignored, and so is the condition where no date is told.
 * @param modified the Last-Modified of the answer
 * @throws PRECONDITION_FAILED
 */
export function refuseModified(request: Headers, modified: string | null | undefined): void {
  const since = request.get('if-unmodified-since');
  if (since === null || modified === null || modified === undefined || request.has('if-match')) return;
  const asked = parseHttpDate(since);
  if (asked !== null && asked < Date.parse(modified)) throw errors.modifiedSince();
}

/** 304 in place of content in memory that the client has by If-Modified-Since, with the ETag of the form it would get. */
export function unlessUnmodified(request: Request, response: Response): Response {
  if (!request.headers.has('if-modified-since') || response.status !== 200 || request.method !== 'GET')
    return response;
  if (!isUnmodified(request.headers, response.headers.get('last-modified'))) return response;
  const headers = new Headers(response.headers);
  headers.delete('Content-Encoding');
  headers.delete('Content-Length');
  return new Response(null, { status: 304, headers });
}

/** Formats of a date in HTTP: the one that is sent, and two old ones that are read, too (RFC 9110, section 5.6.7). */
const FORMATS = [
  /^\w{3}, (?<day>\d{2}) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^\w{6,9}, (?<day>\d{2})-(?<month>\w{3})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/** A time as HTTP writes it, to the second. */
export const httpDate = (ms: number): string => new Date(ms).toUTCString();

/**
 * A date of a header in ms since the epoch; `null` for what is none.
 * @param now ms since the epoch, which tells the century of a year of two digits: it is at most 50 years ahead
 */
export function parseHttpDate(text: string, now = Date.now()): number | null {
  for (const format of FORMATS) {
    const { day, month, year, time } = format.exec(text)?.groups ?? {};
    if (day === undefined || year === undefined) continue;
    const date = `${day.replace(' ', '0')} ${month} ${fullYear(year, now)} ${time} GMT`;
    const ms = Date.parse(date);
    // `Date.parse` takes 31 February for 3 March.
    return Number.isFinite(ms) && httpDate(ms).endsWith(date) ? ms : null;
  }
  return null;
}

function fullYear(year: string, now: number): string {
  if (year.length === 4) return year;
  const current = new Date(now).getUTCFullYear();
  const sameCentury = current - (current % 100) + Number(year);
  return String(sameCentury > current + 50 ? sameCentury - 100 : sameCentury);
}
