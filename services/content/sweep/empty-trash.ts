import { forgetBlobs, postponeBlobs, takeDueBlobs } from '../../../shared/items/blob-trash.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { ContentDependencies } from '../dependencies.ts';

const LIMIT = 100;

/** A blob that the store does not let go is left alone for so long, in ms, and keeps no other from going. */
const POSTPONE_MS = 600_000;

/**
 * Deletes blobs that belong to no item. The row goes only after its blob: a crash in between deletes once more,
 * which does no harm.
 * @throws what the store throws when it lets none of them go: it is away
 */
export async function emptyTrash({ sql, blobs, clock, log }: ContentDependencies): Promise<Batch> {
  return await sql.begin(async (tx) => {
    const keys = await takeDueBlobs(tx, clock.now(), LIMIT);
    const outcomes = await Promise.allSettled(keys.map((key) => blobs.remove([key])));
    const removed = keys.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    const refusal = outcomes.find((outcome) => outcome.status === 'rejected');
    if (refusal !== undefined && removed.length === 0) throw refusal.reason;
    if (refusal !== undefined) {
      log.warn({ error: refusal.reason, blobs: keys.length - removed.length }, 'blobs could not be deleted');
      await postponeBlobs(tx, keys, clock.now() + POSTPONE_MS);
    }
    await forgetBlobs(tx, removed);
    return { done: removed.length, more: keys.length === LIMIT };
  });
}
