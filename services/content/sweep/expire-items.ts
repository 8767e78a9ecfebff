import { discardBlobs } from '../../../shared/items/blob-trash.ts';
import { buryItems } from '../../../shared/items/registry.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { blobKeysOf, takeExpiredPages } from '../kinds/html.ts';
import type { Batch } from './batch.ts';

const LIMIT = 200;

/** Removes items whose time is over. */
export async function expireItems({ sql, clock, blobGraceMs }: ContentDependencies): Promise<Batch> {
  return await sql.begin(async (tx) => {
    const now = clock.now();
    const pages = await takeExpiredPages(tx, now, LIMIT);
    await buryItems(tx, pages, now);
    await discardBlobs(tx, pages.flatMap(blobKeysOf), now + blobGraceMs);
    return { done: pages.length, more: pages.length === LIMIT };
  });
}
