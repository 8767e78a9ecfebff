import { DOCUMENT_END } from '../pages/document-end.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import { blobMissing, readBlob } from './read-blob.ts';

const END = Buffer.from(DOCUMENT_END);

/** As `readBlob`, of a rendered page: no item tells its size, but its end shows that it is whole. */
export async function readRendering(blobs: BlobStore, key: string): Promise<Uint8Array> {
  const bytes = await readBlob(blobs, key);
  if (END.equals(bytes.subarray(-END.length))) return bytes;
  throw blobMissing(key, new Error('it has no end'));
}
