import { createHash } from 'node:crypto';
import type { StoredBlob } from '../../../shared/contracts/create.ts';
import type { BlobKeyPool } from '../../../shared/items/blob-key-pool.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';

/** Stores bytes under a reserved key. Unless an operation claims the blob, the sweeper removes it. */
export async function storeBlob(blobs: BlobStore, keys: BlobKeyPool, bytes: Uint8Array): Promise<StoredBlob> {
  const key = await keys.take();
  await blobs.put(key, bytes);
  return { key, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
