import type { ItemRef } from '../../../shared/items/item.ts';
import type { Cache } from '../../../shared/ports/cache.ts';

/**
 * The views of this moment, in the order of the items; `views` of each is what was saved last. A cache that was lost knows
 * fewer than that until the item is read next.
 */
export async function currentViews(
  cache: Cache,
  items: Array<ItemRef & { views: number }>,
): Promise<number[]> {
  const counted = await cache.viewsOf(items);
  return items.map(({ views }, index) => Math.max(views, counted[index] ?? 0));
}
