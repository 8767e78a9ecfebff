import { forgetBlobs, postponeBlobs, takeDueBlobs } from '../../../shared/items/blob-trash.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { ContentDependencies } from '../dependencies.ts';

const LIMIT = 100;

/** Number of concurrent deletions; requests share the blob store with them. */
const AT_ONCE = 8;

/** How long keys are left to the process that took them, in ms: after its death another goes on. */
const LEASE_MS = 30_000;

/**
 * A blob that the store does not let go is left alone for so long, in ms, and keeps no other from going. A store that is
 * full or read-only refuses those that it has.
 */
const POSTPONE_MS = 30_000;

/**
 * Deletes blobs that belong to no item. The row goes only after its blob: a crash in between deletes once more, which
 * does no harm. No transaction waits for the store, which may take longer than the database would let it.
 * @throws what the store throws when it lets none of them go: it is away
 */
export async function emptyTrash({ sql, blobs, clock, log }: ContentDependencies): Promise<Batch> {
  const now = clock.now();
  const keys = await takeDueBlobs(sql, now, now + LEASE_MS, LIMIT);
  const removed: string[] = [];
  const stuck: string[] = [];
  let refusal: unknown;
  let isSlow = false;
  for (let next = 0; next < keys.length; next += AT_ONCE) {
    const some = keys.slice(next, next + AT_ONCE);
    const outcomes = await Promise.allSettled(some.map((key) => blobs.remove([key])));
    const gone = some.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    removed.push(...gone);
    stuck.push(...some.filter((key) => !gone.includes(key)));
    refusal ??= outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
    // The store is slow, and other passes wait: what was not tried is due again when the lease is over.
    isSlow = clock.now() - now > LEASE_MS / 2;
    if (isSlow) break;
  }
  if (refusal !== undefined && removed.length === 0) {
    await postponeBlobs(sql, keys, now);
    throw refusal;
  }
  if (refusal !== undefined) {
    log.warn({ error: refusal, blobs: stuck.length }, 'blobs could not be deleted');
    await postponeBlobs(sql, stuck, now + POSTPONE_MS);
  }
  if (removed.length > 0) await forgetBlobs(sql, removed);
  return { done: removed.length, more: keys.length === LIMIT && !isSlow };
}
