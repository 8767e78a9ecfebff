import type { ItemRef } from '../../../shared/items/item.ts';
import type { Cache } from '../../../shared/ports/cache.ts';

/**
 * The current views, in the order of the items; each item's `views` is the number saved last. After its data was lost, the
 * cache has fewer than that until the item is read again.
 */
export async function currentViews(
  cache: Cache,
  items: Array<ItemRef & { views: number }>,
): Promise<number[]> {
  const counted = await cache.viewsOf(items);
  return items.map(({ views }, index) => Math.max(views, counted[index] ?? 0));
}
