import { errors } from '../../../shared/errors.ts';
import type { LiveRoute } from '../../../shared/items/route.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import type { Exchange } from '../http/exchange.ts';
import { ITEM_ID, NAMESPACE } from '../intake/addresses.ts';

/** The page at an address of the API, without counting a view. @throws NOT_FOUND also for what is gone (4.2) */
export async function findLivePage(
  deps: GatewayDependencies,
  exchange: Exchange,
  { ns, id }: { ns: string; id: string },
): Promise<{ route: LiveRoute; views: number }> {
  if (!NAMESPACE.test(ns) || !ITEM_ID.test(id))
    throw errors.contentNotFound(ns.slice(0, 100), id.slice(0, 100));
  const { route, views } = await deps.lookup.find({ namespace: ns, id }, exchange.context, false);
  if (route?.state !== 'live' || route.expiresAt <= deps.clock.now()) throw errors.contentNotFound(ns, id);
  return { route, views };
}
