import { createHash } from 'node:crypto';
import { call } from '../../../shared/contracts/call.ts';
import { extendBlobs } from '../../../shared/contracts/content.ts';
import type { StoredBlob } from '../../../shared/contracts/create.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { newRequestId } from '../../../shared/ids.ts';
import type { BlobKeyPool } from '../../../shared/items/blob-key-pool.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import type { UploadDependencies } from './dependencies.ts';

/** Stores bytes under a reserved key. Unless an operation claims the blob, the sweeper removes it. */
export async function storeBlob(blobs: BlobStore, keys: BlobKeyPool, bytes: Uint8Array): Promise<StoredBlob> {
  const key = await keys.take();
  await blobs.put(key, bytes);
  return { key, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/**
 * Extends the reservation of blob keys while a write to them goes on, however long it takes: the sweeper would otherwise
 * remove the written blobs. A failed extension is retried at the next interval, of which a reservation has three.
 */
export async function keepReserved<T>(
  { bus, config, log }: Pick<UploadDependencies, 'bus' | 'config' | 'log'>,
  keys: string[],
  work: () => Promise<T>,
): Promise<T> {
  const extend = async (): Promise<void> => {
    const context = { requestId: newRequestId(), deadline: steadyNow() + 5_000 };
    await call(bus, extendBlobs, { keys }, context).catch((error: unknown) => {
      log.warn({ error }, 'a reservation could not be extended; trying again');
    });
  };
  const timer = setInterval(() => void extend(), config.blobGraceMs / 3);
  try {
    await extend();
    return await work();
  } finally {
    clearInterval(timer);
  }
}
