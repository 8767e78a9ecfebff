import { forgetBlobs, takeDueBlobs } from '../../../shared/items/blob-trash.ts';
import type { ContentDependencies } from '../dependencies.ts';
import type { Batch } from './batch.ts';

const LIMIT = 100;

/**
 * Deletes blobs that belong to no item. The row goes only after its blob: a crash in between deletes once more,
 * which does no harm.
 */
export async function emptyTrash({ sql, blobs, clock }: ContentDependencies): Promise<Batch> {
  return await sql.begin(async (tx) => {
    const keys = await takeDueBlobs(tx, clock.now(), LIMIT);
    await blobs.remove(keys);
    await forgetBlobs(tx, keys);
    return { done: keys.length, more: keys.length === LIMIT };
  });
}
