import type { resolveItem as contract } from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import { findTombstone } from '../../../shared/items/registry.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { findPage, toRoute } from '../kinds/html.ts';
import { toRemovedRoute } from './removed-route.ts';

/**
 * What is at an address. Outside the public namespace a removed item leaves no trace (specification, section 3), and
 * an expired one has none anywhere until it is swept.
 */
export async function resolveItem(
  { sql, clock }: ContentDependencies,
  item: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const now = clock.now();
  const page = await findPage(sql, item);
  if (page !== null) return { route: page.expiresAt > now ? toRoute(page) : null };
  const tombstone = item.namespace === PUBLIC_NAMESPACE ? await findTombstone(sql, item) : null;
  return { route: tombstone === null ? null : toRemovedRoute(tombstone, now) };
}
