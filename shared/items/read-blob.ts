import { errors } from '../errors.ts';
import type { BlobStore } from '../ports/blob-store.ts';

/**
 * The whole of a blob that an item refers to.
 * @throws UNAVAILABLE when it is missing: an item never outlives its blob, so the store has lost it or lags.
 */
export async function readBlob(blobs: BlobStore, key: string): Promise<Uint8Array> {
  const blob = await blobs.open(key);
  if (blob === null) throw errors.unavailable('content store', new Error(`the blob ${key} is missing`));
  const bytes = new Uint8Array(await new Response(blob.body).arrayBuffer());
  if (bytes.length === blob.size) return bytes;
  throw errors.unavailable(
    'content store',
    new Error(`the blob ${key} ended after ${bytes.length} of ${blob.size} bytes`),
  );
}
