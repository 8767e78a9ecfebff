import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { renewItem as contract } from '../../../shared/contracts/owners.ts';
import { renewItem as renew } from '../../../shared/items/renew-item.ts';
import type { ContentDependencies } from '../dependencies.ts';

/** Counts an item's time to live anew for its owner. */
export async function renewItem(
  deps: ContentDependencies,
  { namespace, id, ownerHash, ttlDays: wanted }: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { ttlDays, expiresAt } = await renew(deps, { namespace, id }, ownerHash, wanted, context);
  return { ttlDays, expiresAt };
}
