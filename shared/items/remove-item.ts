import { announceRoute } from './announce-route.ts';
import { discardBlobs } from './blob-trash.ts';
import { blobKeysOf } from './content.ts';
import type { Kind } from './item.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import { findOwnedItem, type OwnedItemRef } from './owned-item.ts';
import type { Query } from './sql.ts';
import { buryItems, findTombstone, toRemovedRoute } from './tombstones.ts';

/**
 * Removes an item for its owner and frees its address. The removal is announced also when there is nothing to remove:
 * an earlier attempt may have died between its commit and its announcement.
 */
export async function removeItem<K extends Kind>(
  deps: ItemDependencies,
  item: OwnedItemRef<K>,
): Promise<Record<string, never>> {
  try {
    await deps.sql.begin((tx) => buryOwnedItem(tx, deps, item));
  } finally {
    const tombstone = await findTombstone(deps.sql, item);
    if (tombstone !== null) await announceRoute(deps, toRemovedRoute(tombstone, deps.clock.now()));
  }
  return {};
}

async function buryOwnedItem<K extends Kind>(
  tx: Query,
  { clock, blobGraceMs }: ItemDependencies,
  item: OwnedItemRef<K>,
): Promise<void> {
  const standing = await findOwnedItem(tx, item, { clock, lock: true });
  const now = clock.now();
  await buryItems(tx, [standing], now);
  await discardBlobs(tx, blobKeysOf(standing.content), now + blobGraceMs);
}
