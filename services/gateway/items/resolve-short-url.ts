import { errors } from '../../../shared/errors.ts';
import { type ItemRef, PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import { isBlobMissing } from '../../../shared/items/read-blob.ts';
import { isLive, isOpen, type LiveRoute, type Route } from '../../../shared/items/route.ts';
import type { Exchange } from '../http/request-context.ts';
import type { ReadDependencies } from './dependencies.ts';
import type { Lookup } from './item-lookup.ts';
import { countsAsView, type ItemRead, type Responders } from './item-read.ts';
import type { ShortUrl } from './short-url.ts';

/**
 * GET /{ns}/{id} and /{ns}/{id}/{sub} (specification 9.1). The route, the view counter and the rate limit are asked for
 * together, so that they share a round trip; a read that then turns out not to count takes its view back.
 */
export async function resolveShortUrl(
  deps: ReadDependencies,
  responders: Responders,
  exchange: Exchange,
  item: ShortUrl,
): Promise<Response> {
  deps.limits.refuseKnown(exchange, 'reads');
  const admit = () => deps.limits.admit(exchange, 'reads');
  try {
    return await resolve(deps, responders, exchange, item, admit);
  } catch (error) {
    if (!isBlobMissing(error) || !(await deps.lookup.renew(item, exchange.context))) throw error;
    return await resolve(deps, responders, exchange, item, async () => {});
  }
}

async function resolve(
  deps: ReadDependencies,
  responders: Responders,
  exchange: Exchange,
  item: ShortUrl,
  admit: () => Promise<void>,
): Promise<Response> {
  const isOwnView = deps.ownViews.isOwn(exchange, item);
  const eager = !exchange.isHead && !isOwnView && !exchange.request.headers.has('range');
  const finding = lookUp(deps, exchange, item, eager);
  const admitting = admit();
  const [found, admitted] = await Promise.allSettled([finding, admitting]);
  let counted = found.status === 'fulfilled' ? found.value.counted : false;
  try {
    if (admitted.status === 'rejected') throw admitted.reason;
    if (found.status === 'rejected') throw found.reason;
    const { route: standing, entry } = found.value;
    const route = liveRoute(item, standing, deps.clock.now());
    exchange.met = route;
    await deps.access.allow(exchange, route, item.ticket);
    let { views } = found.value;
    if (eager && !counted && !isOpen(route)) {
      views = await deps.cache.countViews(item, 1);
      counted = true;
    }
    const { sub, ticket } = item;
    // One that no longer opens the item would not open the parts of its pages either: who has a cookie gets another.
    const opens =
      ticket !== null && (route.passwordHash === null || deps.cookies.opensByTicket(route, ticket));
    const ticketPrefix = opens ? `~${ticket}/` : '';
    const read = { exchange, route, sub, entry, views, ticketPrefix };
    const response = await respond(responders, read);
    const counts = !exchange.isHead && !isOwnView && countsAsView(response);
    return await settleViews(deps, item, { response, views, counted, counts });
  } catch (error) {
    if (counted) await deps.cache.countViews(item, -1);
    throw error;
  }
}

async function lookUp(
  { lookup }: ReadDependencies,
  { context }: Exchange,
  item: ShortUrl,
  count: boolean,
): Promise<Lookup> {
  const { sub } = item;
  // What may be a key of a store is asked for along with the route.
  if (sub === null || sub === '' || sub.includes('/')) {
    return await lookup.find(item, context, count);
  }
  return await lookup.findEntry(item, sub, context, count);
}

function liveRoute(item: ItemRef, route: Route | null, now: number): LiveRoute {
  if (isLive(route, now)) return route;
  const gone = route?.state === 'removed' && item.namespace === PUBLIC_NAMESPACE;
  throw gone ? errors.contentGone(item.namespace, item.id) : errors.contentNotFound(item.namespace, item.id);
}

type AnyRead = Omit<ItemRead<'html'>, 'route'> & { route: LiveRoute };

/** The kinds that have parts of their own answer for themselves; of the others `/ns/id/` has a slash too many. */
async function respond(responders: Responders, read: AnyRead): Promise<Response> {
  const { route } = read;
  if (route.kind === 'site') return await responders.site({ ...read, route });
  if (route.kind === 'kv' && read.sub !== '') return await responders.kv({ ...read, route });
  if (read.sub !== null) return withoutSlash(read);
  if (route.kind === 'html') return await responders.html({ ...read, route });
  if (route.kind === 'json') return await responders.json({ ...read, route });
  if (route.kind === 'file') return await responders.file({ ...read, route });
  throw errors.contentNotFound(route.namespace, route.id);
}

function withoutSlash({ exchange, route: { namespace, id }, sub }: AnyRead): Response {
  if (sub !== '') throw errors.contentNotFound(namespace, `${id}/${sub}`.slice(0, 200));
  const headers = { Location: `/${namespace}/${id}${exchange.querySuffix}`, 'Cache-Control': 'no-store' };
  return new Response(null, { status: 308, headers });
}

/** Makes the counter say what the answer says: a view that was counted in advance is taken back, one that was not is added. */
async function settleViews(
  { cache }: ReadDependencies,
  item: ItemRef,
  {
    response,
    views,
    counted,
    counts,
  }: { response: Response; views: number; counted: boolean | null; counts: boolean },
): Promise<Response> {
  // What nobody knows of is neither counted once more nor taken back.
  if (counted === null || counts === counted) return response;
  const total = await cache.countViews(item, counts ? 1 : -1);
  if (response.headers.has('x-views')) response.headers.set('X-Views', String(counts ? total : views - 1));
  return response;
}
