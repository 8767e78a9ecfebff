import type { Kind } from '../../../shared/items/item.ts';
import { isBlobMissing } from '../../../shared/items/read-blob.ts';
import type { LiveRoute, RouteOf } from '../../../shared/items/route.ts';
import type { Limited } from '../admission/rate-limits.ts';
import { ownerTokenOf, ownsItem } from '../auth/owner-token.ts';
import { requireOwner } from '../auth/require-owner.ts';
import type { Exchange } from '../http/request-context.ts';
import type { ReadDependencies } from './dependencies.ts';
import { findLive, findLiveItem, type ItemAddress } from './find-live-item.ts';

/** What a change by the owner is about. */
export interface OwnedRoute<K extends Kind> {
  route: RouteOf<K>;
  owned: OwnedAddress;
}

/** Names an item and its owner to a service. */
interface OwnedAddress {
  namespace: string;
  id: string;
  ownerHash: string;
}

/**
 * The item that a request may change: it is there, then the token is its owner's (specification 12.3).
 * @throws RATE_LIMITED, NOT_FOUND, OWNER_TOKEN_REQUIRED, OWNER_TOKEN_WRONG
 */
export async function admitChange<K extends Kind>(
  deps: ReadDependencies,
  exchange: Exchange,
  kind: K,
  address: ItemAddress,
): Promise<OwnedRoute<K>> {
  const { route } = await findAdmitted(deps, exchange, 'changes', () =>
    findLive(deps, exchange, kind, address, mayBeOwned(exchange)),
  );
  return { route, owned: ownedBy(exchange, route) };
}

/** The same where the address does not name the kind. */
export async function admitChangeOfAny(
  deps: ReadDependencies,
  exchange: Exchange,
  address: ItemAddress,
): Promise<OwnedAddress> {
  const { route } = await findAdmitted(deps, exchange, 'changes', () =>
    findLiveItem(deps, exchange, address, mayBeOwned(exchange)),
  );
  return ownedBy(exchange, route);
}

/** Whether it may be what the request wants to change; one that carries no token is refused whatever it is. */
const mayBeOwned =
  (exchange: Exchange) =>
  (route: LiveRoute): boolean => {
    const token = ownerTokenOf(exchange);
    return token === null || ownsItem(token, route.ownerHash);
  };

function ownedBy(exchange: Exchange, route: LiveRoute): OwnedAddress {
  const ownerHash = requireOwner(exchange, route);
  return { namespace: route.namespace, id: route.id, ownerHash };
}

/** The item that a request may read, without counting a view. */
export async function admitRead<K extends Kind>(
  deps: ReadDependencies,
  exchange: Exchange,
  kind: K,
  address: ItemAddress,
): Promise<{ route: RouteOf<K>; views: number }> {
  const found = await findAdmitted(deps, exchange, 'reads', () => findLive(deps, exchange, kind, address));
  await deps.access.allow(exchange, found.route);
  return found;
}

/**
 * Answers a read that `admitRead` lets pass. When the content is not there because the route was old, it is answered from
 * the one that `content` knows.
 */
export async function answerRead<K extends Kind>(
  deps: ReadDependencies,
  exchange: Exchange,
  kind: K,
  address: ItemAddress,
  answer: (found: { route: RouteOf<K>; views: number }) => Promise<Response>,
): Promise<Response> {
  const found = await admitRead(deps, exchange, kind, address);
  try {
    return await answer(found);
  } catch (error) {
    if (!isBlobMissing(error) || !(await deps.lookup.renew(found.route, exchange.context))) throw error;
    const newer = await findLive(deps, exchange, kind, address);
    await deps.access.allow(exchange, newer.route);
    return await answer(newer);
  }
}

/** `admitRead` where the address does not name the kind. */
export async function admitReadOfAny(
  deps: ReadDependencies,
  exchange: Exchange,
  address: ItemAddress,
): Promise<LiveRoute> {
  const { route } = await findAdmitted(deps, exchange, 'reads', () => findLiveItem(deps, exchange, address));
  await deps.access.allow(exchange, route);
  return route;
}

/** The limit comes first: who is above it makes nobody look anything up. */
async function findAdmitted<Found>(
  { limits }: ReadDependencies,
  exchange: Exchange,
  limited: Limited,
  find: () => Promise<Found>,
): Promise<Found> {
  await limits.admit(exchange, limited);
  return await find();
}
