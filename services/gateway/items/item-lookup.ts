import { callToRead } from '../../../shared/contracts/call-to-read.ts';
import { resolveItem } from '../../../shared/contracts/content.ts';
import type { CallContext } from '../../../shared/contracts/operation.ts';
import { PerchError } from '../../../shared/errors.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import { isOpen, type LiveRoute, type Route } from '../../../shared/items/route.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import type { Cache, EntryVisit } from '../../../shared/ports/cache.ts';
import { createSharedCalls } from './shared-calls.ts';

/** What is at an address, and what the cache knows of the key that was asked for. */
export interface Lookup extends EntryVisit {
  /** Whether a view was counted; `null`: nobody knows, as the cache did not answer in time. */
  counted: boolean | null;
}

export interface RouteLookup {
  /** What is at an address, from the cache or else from `content`; see `Cache.visit` for `count`. */
  find(item: ItemRef, context: CallContext, count: boolean): Promise<Lookup>;
  /**
   * The same for who is about to change it, without a view. What is not what they expect `content` must confirm: the cache
   * may not have heard that the item was removed and its address taken again.
   */
  findToChange(
    item: ItemRef,
    context: CallContext,
    isExpected: (route: LiveRoute) => boolean,
  ): Promise<Lookup>;
  /** The same together with one key, in case the item is a store. */
  findEntry(item: ItemRef, key: string, context: CallContext, count: boolean): Promise<Lookup>;
  /**
   * Has the cache forget a route whose content is not there, if `content` knows of another by now. Returns whether it does:
   * then what was asked for is worth another try.
   */
  renew(item: ItemRef, context: CallContext): Promise<boolean>;
}

/** A cache that is away makes reads slower, not impossible: `content` knows the route, too. */
export function createRouteLookup(bus: Bus, cache: Cache, log: Logger): RouteLookup {
  const askShared = createSharedCalls(bus, resolveItem);

  const askAnew = async ({ namespace, id }: ItemRef, context: CallContext): Promise<Route | null> =>
    (await callToRead(bus, resolveItem, { namespace, id }, context)).route;

  /** Equal questions at once share one call, of which the first may be older than a change that was acknowledged since. */
  const askContent = async (item: ItemRef, context: CallContext): Promise<Route | null> => {
    const { namespace, id } = item;
    return (await askShared(itemKey(item), { namespace, id }, context)).route;
  };

  const findBy = async (
    visit: () => Promise<EntryVisit>,
    item: ItemRef,
    context: CallContext,
    { count, isTrusted = () => true, ask = askContent }: LookupOptions,
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
    const route = await ask(item, context);
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
    find: (item, context, count) => findBy(() => visitItem(item, count), item, context, { count }),
    findToChange: (item, context, isExpected) =>
      findBy(() => visitItem(item, false), item, context, {
        count: false,
        isTrusted: (route) => route.state === 'live' && isExpected(route),
        ask: askAnew,
      }),
    async renew(item, context) {
      const cached = await cache.visit(item, false).catch(() => null);
      const standing = cached?.route ?? null;
      const route = await askAnew(item, context);
      if (standing === null || standing.version === route?.version) return standing === null;
      log.warn({ item: itemKey(item) }, 'the cache had a route whose content is gone');
      await cache.forgetRoute(item, standing.version).catch(() => undefined);
      return true;
    },
    findEntry: (item, key, context, count) =>
      findBy(() => cache.visitEntry(item, key, count), item, context, { count }),
  };
}

interface LookupOptions {
  count: boolean;
  /** Whether the cache may answer with this; else it is asked for. */
  isTrusted?: (route: Route) => boolean;
  ask?: (item: ItemRef, context: CallContext) => Promise<Route | null>;
}
