import { errors } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { BlobKeyPool } from './blob-key-pool.ts';

interface PutDependencies {
  blobs: Pick<BlobStore, 'put' | 'remove'>;
  blobKeys: BlobKeyPool;
  log: Logger;
}

/**
 * Stores bytes under a reserved key, which it returns. Unless an item claims the blob, the sweeper removes it.
 * @throws UNAVAILABLE; TIMEOUT when the put took longer than the reservation
 */
export async function putReserved(deps: PutDependencies, bytes: Uint8Array): Promise<string> {
  const { key, until } = await deps.blobKeys.take();
  await putWhileReserved(deps, { keys: [key], until: () => until }, () => deps.blobs.put(key, bytes));
  return key;
}

/** Keys of blobs that are being put. */
interface Reserved {
  keys: string[];
  /** End of their reservation, in ms by the pool's clock; asked for after the put, as it may have been extended meanwhile. */
  until(): number;
}

/**
 * Puts blobs under reserved keys. The sweeper forgets keys whose reservation is over, whether it found a blob or not: one
 * that arrives later, because this process or the store stood still, is removed here, or left to the sweeper once more.
 * @throws TIMEOUT when the put took longer than the reservation; what `put` throws
 */
export async function putWhileReserved(
  deps: PutDependencies,
  { keys, until }: Reserved,
  put: () => Promise<unknown>,
): Promise<void> {
  const [outcome] = await Promise.allSettled([put()]);
  const isLate = deps.blobKeys.clock.now() >= until();
  if (isLate) await removeLate(deps, keys);
  if (outcome.status === 'rejected') throw outcome.reason;
  if (isLate) throw errors.timeout('the upload outlived its reservation');
}

async function removeLate({ blobs, blobKeys, log }: PutDependencies, keys: string[]): Promise<void> {
  await blobs
    .remove(keys)
    .catch(() => blobKeys.trash(keys))
    .catch((error: unknown) => {
      log.error(
        { error, keys },
        'blobs that came too late could not be removed, and nothing else will remove them',
      );
    });
}
