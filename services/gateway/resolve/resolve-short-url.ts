import { errors } from '../../../shared/errors.ts';
import { type ItemRef, PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import { isLive, isOpen, type LiveRoute, type Route } from '../../../shared/items/route.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import type { Exchange } from '../http/exchange.ts';
import { isSet } from '../http/flags.ts';
import type { PageResponder } from './page-response.ts';
import type { ShortUrl } from './short-url.ts';

/**
 * GET /{ns}/{id} (specification 4.6). The route, the view counter and the rate limit are asked for together, so that
 * they share a round trip; a read that then turns out to be refused takes its view back.
 */
export async function resolveShortUrl(
  deps: GatewayDependencies,
  responder: PageResponder,
  exchange: Exchange,
  item: ShortUrl,
): Promise<Response> {
  deps.limits.refuseKnown(exchange, 'reads');
  const counts = !exchange.isHead && item.sub === null;
  const finding = deps.lookup.find(item, exchange.context, counts);
  const admitting = deps.limits.admit(exchange, 'reads');
  const [found, admitted] = await Promise.allSettled([finding, admitting]);
  const counted =
    counts && found.status === 'fulfilled' && found.value.route !== null && isOpen(found.value.route);
  try {
    if (admitted.status === 'rejected') throw admitted.reason;
    if (found.status === 'rejected') throw found.reason;
    const route = liveRoute(item, found.value.route, deps.clock.now());
    if (item.sub !== null) return withoutSlash(exchange, item);
    await deps.access.allow(exchange, route);
    const views = counts && !counted ? await deps.cache.countViews(item, 1) : found.value.views;
    const query = exchange.search === '' ? null : exchange.query();
    return await responder.respond(
      route,
      { raw: query !== null && isSet(query, 'raw'), download: query !== null && isSet(query, 'dl') },
      views,
      exchange.request.headers.get('if-none-match'),
    );
  } catch (error) {
    if (counted) await deps.cache.countViews(item, -1);
    throw error;
  }
}

function liveRoute(item: ItemRef, route: Route | null, now: number): LiveRoute {
  if (isLive(route, now)) return route;
  const gone = route?.state === 'removed' && item.namespace === PUBLIC_NAMESPACE;
  throw gone ? errors.contentGone(item.namespace, item.id) : errors.contentNotFound(item.namespace, item.id);
}

/** A page has no parts: `/ns/id/` is its address with a slash too many, anything longer is nothing. */
function withoutSlash(exchange: Exchange, { namespace, id, sub }: ShortUrl): Response {
  if (sub !== '') throw errors.contentNotFound(namespace, `${id}/${sub}`.slice(0, 200));
  const headers = { Location: `/${namespace}/${id}${exchange.querySuffix}`, 'Cache-Control': 'no-cache' };
  return new Response(null, { status: 308, headers });
}
