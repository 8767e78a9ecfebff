import type { Tombstone } from '../../../shared/items/registry.ts';
import { REMOVED_ROUTE_MS, type RemovedRoute } from '../../../shared/items/route.ts';

/** The cache record of a removal: remembered long enough that no late fill brings the item back. */
export function toRemovedRoute({ namespace, id, version }: Tombstone, now: number): RemovedRoute {
  return { namespace, id, version, state: 'removed', expiresAt: now + REMOVED_ROUTE_MS };
}
