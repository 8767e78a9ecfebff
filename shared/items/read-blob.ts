import { errors, PerchError } from '../errors.ts';
import type { BlobStore } from '../ports/blob-store.ts';

/**
 * The whole of a blob that an item refers to.
 * @throws UNAVAILABLE when it is missing: an item never outlives its blob, so the store has lost it or lags.
 */
export async function readBlob(blobs: BlobStore, key: string): Promise<Uint8Array> {
  const blob = await blobs.open(key);
  if (blob === null) throw blobMissing(key);
  const bytes = new Uint8Array(await new Response(blob.body).arrayBuffer());
  if (bytes.length === blob.size) return bytes;
  throw errors.unavailable(
    'content store',
    new Error(`the blob ${key} ended after ${bytes.length} of ${blob.size} bytes`),
  );
}

class MissingBlob extends Error {}

/** The store has no such blob: it has lost it or lags, or who asked did not know that it was replaced. */
export const blobMissing = (key: string): PerchError =>
  errors.unavailable('content store', new MissingBlob(`the blob ${key} is missing`));

export const isBlobMissing = (error: unknown): boolean =>
  error instanceof PerchError && error.cause instanceof MissingBlob;
