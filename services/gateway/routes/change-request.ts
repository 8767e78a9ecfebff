import type { Kind } from '../../../shared/items/item.ts';
import type { RouteOf } from '../../../shared/items/route.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Limited } from '../limits.ts';
import { findLive, type ItemAddress } from '../resolve/find-live-item.ts';
import { requireOwner } from './owner-only.ts';

/** What a change by the owner is about. */
export interface OwnedRoute<K extends Kind> {
  route: RouteOf<K>;
  /** Names the item and its owner to a service. */
  owned: { namespace: string; id: string; ownerHash: string };
}

/**
 * The item that a request may change: it is there, then the token is its owner's (shapes.md, Conventions).
 * @throws RATE_LIMITED, NOT_FOUND, OWNER_TOKEN_REQUIRED, OWNER_TOKEN_WRONG
 */
export async function admitChange<K extends Kind>(
  deps: GatewayDependencies,
  exchange: Exchange,
  kind: K,
  address: ItemAddress,
): Promise<OwnedRoute<K>> {
  const { route } = await findAdmitted(deps, exchange, 'changes', kind, address);
  const ownerHash = requireOwner(exchange, route);
  return { route, owned: { namespace: route.namespace, id: route.id, ownerHash } };
}

/** The item that a request may read, without counting a view. */
export async function admitRead<K extends Kind>(
  deps: GatewayDependencies,
  exchange: Exchange,
  kind: K,
  address: ItemAddress,
): Promise<{ route: RouteOf<K>; views: number }> {
  const found = await findAdmitted(deps, exchange, 'reads', kind, address);
  await deps.access.allow(exchange, found.route);
  return found;
}

/** The limit and the route are asked for together, so that they share a round trip; the limit speaks first. */
async function findAdmitted<K extends Kind>(
  deps: GatewayDependencies,
  exchange: Exchange,
  limited: Limited,
  kind: K,
  address: ItemAddress,
): Promise<{ route: RouteOf<K>; views: number }> {
  const admitting = deps.limits.admit(exchange, limited);
  const [admitted, found] = await Promise.allSettled([admitting, findLive(deps, exchange, kind, address)]);
  if (admitted.status === 'rejected') throw admitted.reason;
  if (found.status === 'rejected') throw found.reason;
  return found.value;
}
