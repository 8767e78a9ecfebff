import { errors } from '../../../shared/errors.ts';
import type { ItemRef, Kind } from '../../../shared/items/item.ts';
import { isKind, isLive, type LiveRoute, type RouteOf } from '../../../shared/items/route.ts';
import type { Exchange } from '../http/request-context.ts';
import type { ReadDependencies } from './dependencies.ts';
import { ITEM_ID, NAMESPACE } from './item-address.ts';

/** The parts of a path of the API, decoded and unchecked. */
export interface ItemAddress {
  ns: string;
  id: string;
}

/** The item that an address of the API names. @throws NOT_FOUND when no item can have that name */
export function itemNamed({ ns, id }: ItemAddress): ItemRef {
  if (NAMESPACE.test(ns) && ITEM_ID.test(id)) return { namespace: ns, id };
  throw errors.contentNotFound(ns.slice(0, 100), id.slice(0, 100));
}

/**
 * The item at an address of the API, without counting a view.
 * @param isExpected for a change: whether it may be the item that is meant; another one is looked up again at its source
 * @throws NOT_FOUND also for what is gone (specification 2.6)
 */
export async function findLiveItem(
  deps: ReadDependencies,
  exchange: Exchange,
  address: ItemAddress,
  isExpected?: (route: LiveRoute) => boolean,
): Promise<{ route: LiveRoute; views: number }> {
  const { lookup } = deps;
  const { context } = exchange;
  const item = itemNamed(address);
  const { route, views } =
    isExpected === undefined
      ? await lookup.find(item, context, false)
      : await lookup.findToChange(item, context, isExpected);
  if (!isLive(route, deps.clock.now())) throw errors.contentNotFound(item.namespace, item.id);
  exchange.met = route;
  return { route, views };
}

/** The same for an address that names the kind: an item of another kind is not there. */
export async function findLive<K extends Kind>(
  deps: ReadDependencies,
  exchange: Exchange,
  kind: K,
  address: ItemAddress,
  isExpected?: (route: LiveRoute) => boolean,
): Promise<{ route: RouteOf<K>; views: number }> {
  const { route, views } = await findLiveItem(
    deps,
    exchange,
    address,
    isExpected && ((route) => isKind(route, kind) && isExpected(route)),
  );
  if (!isKind(route, kind)) throw errors.contentNotFound(route.namespace, route.id);
  return { route, views };
}
