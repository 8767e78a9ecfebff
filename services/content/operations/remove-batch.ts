import { announceItem } from '../../../shared/items/announce-item.ts';
import { discardBlobs } from '../../../shared/items/blob-trash.ts';
import { type ItemRef, itemKey, type Kind } from '../../../shared/items/item.ts';
import { type AnyItem, blobKeysOfItems } from '../../../shared/items/item-repository.ts';
import { saveViews } from '../../../shared/items/saved-views.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { buryItems, toRemovedRecord } from '../../../shared/items/tombstones.ts';
import type { AbuseEvent } from '../../../shared/notifications/messages.ts';
import type { ContentDependencies } from '../dependencies.ts';

/** A takedown as the operator is told of it. */
export type Takedown = Omit<Extract<AbuseEvent, { type: 'items.taken_down' }>['data'], 'items'>;

/** Leaves a message for the operator about items that this transaction removes. */
export async function queueTakedownNotice(
  tx: Query,
  { outbox }: Pick<ContentDependencies, 'outbox'>,
  why: Takedown,
  items: Array<ItemRef & { kind: Kind; code: string }>,
  now: number,
): Promise<void> {
  const [first] = items;
  if (first === undefined) return;
  const told = items.map(({ namespace, id, kind }) => ({ namespace, id, type: kind }));
  // No other item ever has its code.
  await outbox.tell(tx, { type: 'items.taken_down', data: { ...why, items: told } }, first.code, now);
}

/** Items of one transaction: a store may hold a gigabyte of values. */
export const REMOVED_AT_ONCE = 50;

/**
 * Removes some items in one transaction, which leaves a message for the operator, too, and tells the cache what that transaction
 * knows of them, as the database may be lost right after the commit. Returns those that it has removed.
 * @param lock locks and returns those of the found items that are still to go
 * @param why the takedown that they are removed by
 */
export async function removeBatch(
  { sql, cache, clock, blobGraceMs, ...deps }: ContentDependencies,
  found: ItemRef[],
  lock: (tx: Query, found: ItemRef[]) => Promise<AnyItem[]>,
  why: Takedown,
): Promise<AnyItem[]> {
  // The counters are removed with the items: they are read first, for the totals.
  const views = await cache.viewsOf(found);
  const counted = new Map(found.map((item, index) => [itemKey(item), views[index] ?? 0]));
  const { items, tombstones } = await sql.begin(async (tx) => {
    const items = await lock(tx, found);
    const now = clock.now();
    const later = items
      .map((item) => ({ ...item, views: counted.get(itemKey(item)) ?? 0 }))
      .filter((item, index) => item.views > (items[index]?.views ?? 0));
    if (later.length > 0) await saveViews(tx, later);
    const tombstones = await buryItems(tx, items, clock);
    await discardBlobs(tx, blobKeysOfItems(items), now + blobGraceMs);
    await queueTakedownNotice(tx, deps, why, items, now);
    return { items, tombstones };
  });
  for (const tombstone of tombstones)
    await announceItem({ cache, ...deps }, toRemovedRecord(tombstone, clock.now()));
  return items;
}
