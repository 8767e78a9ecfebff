import type { CallContext } from '../call-context.ts';
import { announceItem } from './announce-item.ts';
import { discardBlobs } from './blob-trash.ts';
import { blobKeysOf } from './content.ts';
import { type ItemRef, itemKey, type Kind } from './item.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import type { Item } from './item-repository.ts';
import { changeItem } from './item-turns.ts';
import { findLiveItem, findOwnedItem, type OwnedItemRef } from './owned-item.ts';
import { saveViews } from './saved-views.ts';
import type { Query } from './sql.ts';
import { buryItems, findTombstone, toRemovedRecord } from './tombstones.ts';

/**
 * Removes an item for its owner and frees its address.
 * @param assertRemovable throws for an existing item that is to stay; nothing changes it meanwhile
 * @throws NOT_FOUND, OWNER_TOKEN_WRONG, TIMEOUT, and what `assertRemovable` throws
 */
export async function removeItem<K extends Kind>(
  deps: ItemDependencies,
  item: OwnedItemRef<K>,
  context: CallContext,
  assertRemovable: (existing: Item<K>) => void = () => undefined,
): Promise<Record<string, never>> {
  const { clock } = deps;
  await remove(deps, item, context, async (tx) => {
    const existing = await findOwnedItem(tx, item, { clock, lock: true });
    assertRemovable(existing);
    return existing;
  });
  return {};
}

/**
 * Removes an item of whatever kind, whoever owns it. Returns what it was.
 * @param record keeps in the same transaction who did it
 * @throws NOT_FOUND, TIMEOUT
 */
export async function removeForOperator(
  deps: ItemDependencies,
  item: ItemRef,
  context: CallContext,
  record: (tx: Query, existing: Item<Kind>) => Promise<void>,
): Promise<Item<Kind>> {
  const { clock } = deps;
  return await remove(deps, item, context, async (tx) => {
    const existing = await findLiveItem(tx, item, { clock, lock: true });
    await record(tx, existing);
    return existing;
  });
}

/**
 * The removal is announced by what its transaction knows, as the database may be lost right after the commit. An earlier
 * removal is announced again: its process may have died between the commit and the announcement.
 */
async function remove(
  deps: ItemDependencies,
  item: ItemRef,
  context: CallContext,
  lockItem: (tx: Query) => Promise<Item<Kind>>,
): Promise<Item<Kind>> {
  const { cache, clock, blobGraceMs } = deps;
  // The cache drops the counter with the item. Its last number is saved before, as the totals keep it.
  const [views = 0] = await cache.viewsOf([item]);
  const removal = changeItem(deps, item, context, 'a removal', async (tx) => {
    const existing = await lockItem(tx);
    const now = clock.now();
    if (views > existing.views) await saveViews(tx, [{ ...existing, views }]);
    const tombstones = await buryItems(tx, [existing], clock);
    await discardBlobs(tx, blobKeysOf(existing.content), now + blobGraceMs);
    return { existing, tombstones };
  });
  const { existing, tombstones } = await removal.catch(async (error: unknown) => {
    await announceEarlierRemoval(deps, item);
    throw error;
  });
  for (const tombstone of tombstones) await announceItem(deps, toRemovedRecord(tombstone, clock.now()));
  return existing;
}

async function announceEarlierRemoval(deps: ItemDependencies, item: ItemRef): Promise<void> {
  const { sql, clock, log, announcementMissed } = deps;
  try {
    const tombstone = await findTombstone(sql, item);
    if (tombstone !== null) await announceItem(deps, toRemovedRecord(tombstone, clock.now()));
  } catch (error) {
    announcementMissed();
    log.warn(
      { error, item: itemKey(item) },
      'an earlier removal could not be announced; the repair pass will do it',
    );
  }
}
