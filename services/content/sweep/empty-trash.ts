import { forgetBlobs, takeDueBlobs } from '../../../shared/items/blob-trash.ts';
import type { ContentDependencies } from '../dependencies.ts';

const BATCH = 100;

/**
 * Deletes blobs that belong to no item. The row goes only after its blob: a crash in between deletes once more,
 * which does no harm. Returns how many.
 */
export async function emptyTrash({ sql, blobs, clock }: ContentDependencies): Promise<number> {
  for (let total = 0; ; ) {
    const deleted = await sql.begin(async (tx) => {
      const keys = await takeDueBlobs(tx, clock.now(), BATCH);
      await blobs.remove(keys);
      await forgetBlobs(tx, keys);
      return keys.length;
    });
    total += deleted;
    if (deleted < BATCH) return total;
  }
}
