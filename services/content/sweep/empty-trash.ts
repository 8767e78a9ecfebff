import { forgetBlobs, postponeBlobs, takeDueBlobs } from '../../../shared/items/blob-trash.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { ContentDependencies } from '../dependencies.ts';

const LIMIT = 100;

/** How long keys are left to the process that took them, in ms: after its death another goes on. */
const LEASE_MS = 30_000;

/** A blob that the store does not let go is left alone for so long, in ms, and keeps no other from going. */
const POSTPONE_MS = 600_000;

/**
 * Deletes blobs that belong to no item. The row goes only after its blob: a crash in between deletes once more, which
 * does no harm. No transaction waits for the store, which may take longer than the database would let it.
 * @throws what the store throws when it lets none of them go: it is away
 */
export async function emptyTrash({ sql, blobs, clock, log }: ContentDependencies): Promise<Batch> {
  const now = clock.now();
  const keys = await takeDueBlobs(sql, now, now + LEASE_MS, LIMIT);
  const outcomes = await Promise.allSettled(keys.map((key) => blobs.remove([key])));
  const removed = keys.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  const refusal = outcomes.find((outcome) => outcome.status === 'rejected');
  if (refusal !== undefined && removed.length === 0) {
    await postponeBlobs(sql, keys, now);
    throw refusal.reason;
  }
  if (refusal !== undefined) {
    const stuck = keys.filter((_, index) => outcomes[index]?.status === 'rejected');
    log.warn({ error: refusal.reason, blobs: stuck.length }, 'blobs could not be deleted');
    await postponeBlobs(sql, stuck, now + POSTPONE_MS);
  }
  if (removed.length > 0) await forgetBlobs(sql, removed);
  return { done: removed.length, more: keys.length === LIMIT };
}
