import type { resolveItem as contract } from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import { findItem, toItemRecord } from '../../../shared/items/item-repository.ts';
import { findTombstone, toRemovedRecord } from '../../../shared/items/tombstones.ts';
import type { ContentDependencies } from '../dependencies.ts';

/**
 * Finds the item at an address, of any kind. Outside of the public namespace a removed item leaves no trace
 * (specification 2.6); an expired item leaves none anywhere until it is swept.
 */
export async function resolveItem(
  { sql, clock }: ContentDependencies,
  address: InputOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const now = clock.now();
  const item = await findItem(sql, address);
  if (item !== null) return { record: item.expiresAt > now ? toItemRecord(item) : null };
  const tombstone = address.namespace === PUBLIC_NAMESPACE ? await findTombstone(sql, address) : null;
  return { record: tombstone === null ? null : toRemovedRecord(tombstone, now) };
}
