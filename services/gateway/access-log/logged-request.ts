import type { LoggedRequest } from '../../../shared/contracts/access-columns.ts';
import type { RequestAttributes } from '../../../shared/contracts/access-log.ts';
import { userAgentOf } from '../http/client.ts';
import { maskPath, maskQuery, maskReferer } from '../http/query-masking.ts';
import type { RequestContext } from '../http/request-context.ts';
import { copyOfSlice, headerText } from '../http/text.ts';

/** Longest texts that are kept, in characters; the rest is cut off. */
const KEPT = { path: 500, query: 1_000, referer: 1_000 };

/**
 * Most characters of a URL beyond the kept path and query, usually its host. A slice of a string keeps the whole string in
 * memory: above this limit, the path and query are copied instead of sliced.
 */
const STAYS = 100;

/** An answered request, without its secrets (specification 18.3). */
export const loggedRequestOf = (context: RequestContext, status: number, seconds: number): LoggedRequest => ({
  at: context.arrivedAt,
  requestId: context.requestId,
  durationMs: toDurationMs(seconds),
  attributes: attributesOf(context, status),
});

function attributesOf(context: RequestContext, status: number): RequestAttributes {
  const { headers } = context.request;
  const { loggedPath: path, search, item } = context;
  const kept = Math.min(path.length, KEPT.path) + Math.min(search.length, KEPT.query);
  const isLong = context.request.url.length - kept > STAYS;
  const ofAddress = isLong ? copyOfSlice : (text: string): string => text;
  return {
    clientIp: context.clientIp,
    userAgent: userAgentOf(headers),
    method: context.isHead ? 'HEAD' : context.method,
    path: ofAddress(maskPath(path.slice(0, KEPT.path))),
    query: search === '' ? '' : ofAddress(maskQuery(search.slice(0, KEPT.query))),
    status,
    referer: refererOf(headers),
    resourceType: item?.kind ?? null,
    resourceNamespace: item?.namespace ?? null,
    resourceId: item?.id ?? null,
    viewed: context.viewed,
  };
}

/** A duration as the log has it, in ms. */
export const toDurationMs = (seconds: number): number => Math.round(seconds * 100_000) / 100;

/** Where the client says it comes from, as far as the log keeps it. */
export function refererOf(headers: Headers): string | null {
  const referer = headerText(headers, 'referer');
  if (referer === null) return null;
  const masked = maskReferer(referer, KEPT.referer);
  return referer.length <= KEPT.referer ? masked : copyOfSlice(masked);
}
