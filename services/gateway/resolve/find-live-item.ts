import { errors } from '../../../shared/errors.ts';
import type { ItemRef, Kind } from '../../../shared/items/item.ts';
import { isKind, isLive, type LiveRoute, type RouteOf } from '../../../shared/items/route.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import type { Exchange } from '../http/exchange.ts';
import { ITEM_ID, NAMESPACE } from '../intake/addresses.ts';

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

/** What an item is looked up for. */
type Purpose = 'read' | 'change';

/** The item at an address of the API, without counting a view. @throws NOT_FOUND also for what is gone (4.2) */
export async function findLiveItem(
  deps: GatewayDependencies,
  exchange: Exchange,
  address: ItemAddress,
  purpose: Purpose = 'read',
): Promise<{ route: LiveRoute; views: number }> {
  const { lookup } = deps;
  const { context } = exchange;
  const item = itemNamed(address);
  const { route, views } =
    purpose === 'change' ? await lookup.findToChange(item, context) : await lookup.find(item, context, false);
  if (!isLive(route, deps.clock.now())) throw errors.contentNotFound(item.namespace, item.id);
  exchange.met = route;
  return { route, views };
}

/** The same for an address that names the kind: an item of another kind is not there. */
export async function findLive<K extends Kind>(
  deps: GatewayDependencies,
  exchange: Exchange,
  kind: K,
  address: ItemAddress,
  purpose: Purpose = 'read',
): Promise<{ route: RouteOf<K>; views: number }> {
  const { route, views } = await findLiveItem(deps, exchange, address, purpose);
  if (!isKind(route, kind)) throw errors.contentNotFound(route.namespace, route.id);
  return { route, views };
}
