import { call } from '../../../shared/contracts/call.ts';
import { resolveItem } from '../../../shared/contracts/content.ts';
import type { CallContext } from '../../../shared/contracts/operation.ts';
import { PerchError } from '../../../shared/errors.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import { isOpen, type Route } from '../../../shared/items/route.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import type { Cache, EntryVisit } from '../../../shared/ports/cache.ts';

/** What is at an address, and what the cache knows of the key that was asked for. */
export interface Lookup extends EntryVisit {
  /** Whether a view was counted; `null`: nobody knows, as the cache did not answer in time. */
  counted: boolean | null;
}

export interface RouteLookup {
  /** What is at an address, from the cache or else from `content`; see `Cache.visit` for `count`. */
  find(item: ItemRef, context: CallContext, count: boolean): Promise<Lookup>;
  /**
   * The same for who is about to change it, without a view. That nothing is there any more `content` must confirm: the
   * cache may not have heard of the item that took the place of a removed one.
   */
  findToChange(item: ItemRef, context: CallContext): Promise<Lookup>;
  /** The same together with one key, in case the item is a store. */
  findEntry(item: ItemRef, key: string, context: CallContext, count: boolean): Promise<Lookup>;
}

/** A cache that is away makes reads slower, not impossible: `content` knows the route, too. */
export function createRouteLookup(bus: Bus, cache: Cache, log: Logger): RouteLookup {
  const asking = new Map<string, Promise<Route | null>>();

  /** Equal questions at once share one call. */
  const askContent = (item: ItemRef, context: CallContext): Promise<Route | null> => {
    const key = itemKey(item);
    const known = asking.get(key);
    if (known !== undefined) return known;
    const { namespace, id } = item;
    const answer = call(bus, resolveItem, { namespace, id }, context)
      .then(({ route }) => route)
      .finally(() => asking.delete(key));
    asking.set(key, answer);
    return answer;
  };

  const findBy = async (
    visit: () => Promise<EntryVisit>,
    item: ItemRef,
    context: CallContext,
    count: boolean,
    isTrusted: (route: Route) => boolean = () => true,
  ): Promise<Lookup> => {
    let mayBeCounted = false;
    const cached = await visit().catch((error: unknown) => {
      mayBeCounted = error instanceof PerchError && error.code === 'TIMEOUT';
      return null;
    });
    const known = (found: EntryVisit): Lookup => ({
      ...found,
      counted: count && found.route !== null && isOpen(found.route),
    });
    if (cached !== null && cached.route !== null && isTrusted(cached.route)) return known(cached);
    const route = await askContent(item, context);
    if (route === null) return { route: null, views: 0, entry: null, counted: false };
    if (cached !== null) {
      const kept = await cache.putRoute(route).catch(() => null);
      if (kept === false) {
        log.debug({ item: itemKey(item) }, 'the cache has a newer route');
        const newer = await visit().catch(() => null);
        if (newer !== null && newer.route !== null) return known(newer);
      }
    }
    const wanted = count && isOpen(route);
    const counted = wanted && mayBeCounted ? null : wanted;
    // A cache that is away, or has not heard of what was saved, knows of fewer.
    const saved = route.state === 'live' ? (route.savedViews ?? 0) : 0;
    const views = Math.max(await cache.countViews(item, counted === true ? 1 : 0), saved);
    return { route, views, entry: null, counted };
  };

  const visitItem = async (item: ItemRef, count: boolean): Promise<EntryVisit> => ({
    ...(await cache.visit(item, count)),
    entry: null,
  });

  return {
    find: (item, context, count) => findBy(() => visitItem(item, count), item, context, count),
    findToChange: (item, context) =>
      findBy(
        () => visitItem(item, false),
        item,
        context,
        false,
        ({ state }) => state !== 'removed',
      ),
    findEntry: (item, key, context, count) =>
      findBy(() => cache.visitEntry(item, key, count), item, context, count),
  };
}
