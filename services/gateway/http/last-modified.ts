import { httpDate, parseHttpDate } from './http-date.ts';

/**
 * How long after the beginning of its second a change is told, in ms. The header tells seconds: a further change in the same
 * second would be hidden behind an equal date, so the second has to be over. One more allows for the clocks of two processes.
 */
const TOLD_AFTER_MS = 2_000;

/** From when on Last-Modified tells a change (ms since the epoch, both). */
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
