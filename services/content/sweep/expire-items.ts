import { discardBlobs } from '../../../shared/items/blob-trash.ts';
import { blobKeysOfItems, takeExpiredItems } from '../../../shared/items/item-repository.ts';
import { buryItems } from '../../../shared/items/tombstones.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { ContentDependencies } from '../dependencies.ts';

const LIMIT = 200;

/** Removes items of every kind whose time is over. */
export async function expireItems({
  sql,
  clock,
  blobGraceMs,
}: Pick<ContentDependencies, 'sql' | 'clock' | 'blobGraceMs'>): Promise<Batch> {
  return await sql.begin(async (tx) => {
    const now = clock.now();
    const items = await takeExpiredItems(tx, now, LIMIT);
    await buryItems(tx, items, clock);
    await discardBlobs(tx, blobKeysOfItems(items), now + blobGraceMs);
    return { done: items.length, more: items.length === LIMIT };
  });
}
