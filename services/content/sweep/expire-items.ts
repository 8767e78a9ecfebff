import { discardBlobs } from '../../../shared/items/blob-trash.ts';
import { buryItems } from '../../../shared/items/registry.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { blobKeysOf, takeExpiredPages } from '../kinds/html.ts';

const BATCH = 200;

/** Removes items whose time is over, a batch a transaction. Returns how many. */
export async function expireItems({ sql, clock, blobGraceMs }: ContentDependencies): Promise<number> {
  for (let total = 0; ; ) {
    const expired = await sql.begin(async (tx) => {
      const now = clock.now();
      const pages = await takeExpiredPages(tx, now, BATCH);
      await buryItems(tx, pages, now);
      await discardBlobs(tx, pages.flatMap(blobKeysOf), now + blobGraceMs);
      return pages.length;
    });
    total += expired;
    if (expired < BATCH) return total;
  }
}
