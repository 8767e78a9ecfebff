import type { OwnerListInput } from '../contracts/items.ts';
import { countItems, listItems } from './collections.ts';
import type { Kind } from './item.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import type { Item } from './item-repository.ts';

/** One page of what an owner has of a kind in a namespace, and how much there is in all. */
export async function listOwnedItems<K extends Kind>(
  { sql, clock }: Pick<ItemDependencies, 'sql' | 'clock'>,
  kind: K,
  { namespace, ownerHash, ...page }: OwnerListInput,
): Promise<{ items: Array<Item<K>>; total: number }> {
  const now = clock.now();
  const collection = { kind, namespace, ownerHash };
  const [items, total] = await Promise.all([
    listItems(sql, collection, page, now),
    countItems(sql, collection, now),
  ]);
  return { items: items as unknown as Array<Item<K>>, total };
}
