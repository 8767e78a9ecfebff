import { errors } from '../errors.ts';
import { PerchError } from '../perch-error.ts';
import type { BlobStore, ByteRange } from '../ports/blob-store.ts';

/**
 * The whole of a blob that an item refers to.
 * @param size its bytes, where the item tells
 * @throws UNAVAILABLE when it is missing or cut off: an item never outlives its blob, so the store has lost it or lags.
 */
export async function readBlob(blobs: BlobStore, key: string, size?: number): Promise<Uint8Array> {
  const blob = await blobs.open(key);
  if (blob === null) throw blobMissing(key);
  const bytes = new Uint8Array(await new Response(blob.body).arrayBuffer());
  const whole = size ?? blob.size;
  if (bytes.length === whole) return bytes;
  throw blobMissing(key, new Error(`it has ${bytes.length} of ${whole} bytes`));
}

/** A part of a blob that an item refers to, or all of it. @throws UNAVAILABLE when it is missing or cut off */
export async function openPart(
  blobs: BlobStore,
  key: string,
  range?: ByteRange,
): Promise<ReadableStream<Uint8Array>> {
  try {
    const blob = await blobs.open(key, range);
    if (blob !== null) return blob.body;
  } catch (error) {
    throw error instanceof RangeError ? blobMissing(key, error) : error;
  }
  throw blobMissing(key);
}

class MissingBlob extends Error {}

/**
 * The store has no such blob, or not all of it: it has lost it or lags, or who asked did not know that it was replaced.
 * @param cause what says that there is a part of it
 */
export const blobMissing = (key: string, cause?: unknown): PerchError =>
  errors.unavailable('content store', new MissingBlob(`the blob ${key} is missing`, { cause }));

export const isBlobMissing = (error: unknown): boolean =>
  error instanceof PerchError && error.cause instanceof MissingBlob;
