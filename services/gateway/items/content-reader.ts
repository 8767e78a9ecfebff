import { blobMissing } from '../../../shared/items/read-blob.ts';
import { type BlobStore, type ByteRange, LONG_READS } from '../../../shared/ports/blob-store.ts';
import type { ByteCache } from './byte-cache.ts';
import type { LongReads } from './long-reads.ts';

/** Where content lies: a blob, or a part of one. */
export interface ContentPlace {
  blobKey: string;
  offset: number;
  /** Bytes. */
  length: number;
}

export interface ContentReader {
  /**
   * A range of the content, both ends inclusive; in memory when the content is small, else a stream.
   * @param client the reader's `clientKey`
   */
  read(
    place: ContentPlace,
    range: ByteRange,
    client: string,
  ): Promise<Uint8Array | ReadableStream<Uint8Array>>;
  /** The content as a stream, whatever its size, and never from memory. At least one byte. */
  stream(place: ContentPlace, client: string): Promise<ReadableStream<Uint8Array>>;
}

/**
 * Content above `LONG_READS.aboveBytes` is streamed at its reader's pace, because an answer in memory stays there until a
 * slow reader has taken it. Bun sends no Content-Length with the stream of a GET.
 */
export function createContentReader(blobs: BlobStore, cache: ByteCache, longReads: LongReads): ContentReader {
  const cacheable = Math.min(LONG_READS.aboveBytes, cache.maxEntryBytes);

  const load = async (place: ContentPlace, range: ByteRange): Promise<ReadableStream<Uint8Array>> => {
    const within = { start: place.offset + range.start, end: place.offset + range.end };
    const blob = await blobs.open(place.blobKey, within);
    if (blob !== null) return blob.body;
    throw blobMissing(place.blobKey);
  };

  return {
    async read(place, range, client) {
      const { blobKey, offset, length } = place;
      if (length === 0) return new Uint8Array();
      if (length > cacheable) {
        if (range.end - range.start < LONG_READS.aboveBytes)
          return await new Response(await load(place, range)).bytes();
        return await longReads.stream(client, () => load(place, range));
      }
      const whole = await cache.get(`${blobKey} ${offset}`, async () => {
        const stream = await load(place, { start: 0, end: length - 1 });
        return await new Response(stream).bytes();
      });
      const all = range.start === 0 && range.end === length - 1;
      return all ? whole : whole.subarray(range.start, range.end + 1);
    },
    stream: (place, client) =>
      longReads.stream(client, () => load(place, { start: 0, end: place.length - 1 })),
  };
}
