import { createCountingSemaphore } from '../../../shared/counting-semaphore.ts';
import { blobMissing, openPart } from '../../../shared/items/read-blob.ts';
import { type BlobStore, type ByteRange, LONG_READS } from '../../../shared/ports/blob-store.ts';
import type { Compressed } from '../http/compress.ts';
import { type Coding, MIN_CODED_BYTES } from '../http/content-coding.ts';
import type { LongReader } from './answer-watch.ts';
import type { ByteCache } from './byte-cache.ts';
import { CAN_SEND_FILES, type FileRange, type LongReads } from './long-reads.ts';
import type { ResponseMemory } from './response-memory.ts';
import type { TemporaryCopies } from './temporary-copies.ts';

/** Where content is stored: a blob, or a part of one. */
export interface ContentLocation {
  blobKey: string;
  offset: number;
  /** Bytes. */
  length: number;
}

export interface ContentReader {
  /**
   * A range of the content, both ends inclusive; in memory when the content is small, else a file or, where that cannot be, a
   * stream: of that Bun sends no length.
   */
  read(
    location: ContentLocation,
    range: ByteRange,
    reader: LongReader,
  ): Promise<Uint8Array | Blob | ReadableStream<Uint8Array>>;
  /** Whether bytes of the content come from the cache. For others that are in memory `read` holds room of their reader. */
  isCached(location: ContentLocation): boolean;
  /** The content as a stream, whatever its size, and never from memory. At least one byte. */
  stream(location: ContentLocation, client: string): Promise<ReadableStream<Uint8Array>>;
  /** The whole content, compressed and in memory; `null`: it is to be sent as it is. */
  compressed(location: ContentLocation, coding: Coding): Promise<Uint8Array | null>;
}

/** Contents above `LONG_READS.aboveBytes` that are in memory at once while they are compressed. */
const LONG_AT_ONCE = 2;

/**
 * Content above `LONG_READS.aboveBytes` is sent at its reader's pace from a file, the blob's own or a temporary copy, because
 * an answer in memory stays there until a slow reader has taken it.
 */
export function createContentReader(
  blobs: BlobStore,
  cache: ByteCache,
  longReads: LongReads,
  copies: TemporaryCopies,
  responseMemory: ResponseMemory,
): ContentReader {
  const cacheable = Math.min(LONG_READS.aboveBytes, cache.maxEntryBytes);

  const load = ({ blobKey, offset }: ContentLocation, { start, end }: ByteRange) =>
    openPart(blobs, blobKey, { start: offset + start, end: offset + end });

  const loadWhole = async (location: ContentLocation): Promise<Uint8Array> =>
    await new Response(await load(location, { start: 0, end: location.length - 1 })).bytes();

  const fileOf = async (
    location: ContentLocation,
    range: ByteRange,
    client: string,
  ): Promise<FileRange | null> => {
    if (!CAN_SEND_FILES) return null;
    const length = range.end - range.start + 1;
    if (blobs.openFile === undefined) return await copies.make(client, length, () => load(location, range));
    const opened = await blobs.openFile(location.blobKey);
    if (opened === null) throw blobMissing(location.blobKey);
    const { file, size } = opened;
    if (size < location.offset + range.end + 1) {
      await file.close();
      throw blobMissing(location.blobKey, new Error(`it has ${size} bytes`));
    }
    return { fd: file.fd, size, start: location.offset + range.start, length, close: () => file.close() };
  };

  const permits = createCountingSemaphore(LONG_AT_ONCE);
  const keyOf = ({ blobKey, offset }: ContentLocation): string => `${blobKey} ${offset}`;

  /** Compresses long content, of which only the compressed form is kept. */
  const compressLong = async (location: ContentLocation, coding: Coding): Promise<Compressed> => {
    let isAdmitted = false;
    try {
      return await cache.compressed(keyOf(location), coding, async () => {
        isAdmitted = permits.tryAcquire();
        return isAdmitted ? await loadWhole(location) : null;
      });
    } finally {
      if (isAdmitted) permits.release();
    }
  };

  return {
    async compressed(location, coding) {
      if (location.length < MIN_CODED_BYTES || location.length > cache.maxEntryBytes) return null;
      const plain = () => cache.get(keyOf(location), () => loadWhole(location));
      const made = await (location.length > cacheable
        ? compressLong(location, coding)
        : cache.compressed(keyOf(location), coding, plain));
      return made instanceof Uint8Array ? made : null;
    },
    async read(location, range, reader) {
      const { length } = location;
      if (length === 0) return new Uint8Array();
      if (length > cacheable) {
        if (range.end - range.start < LONG_READS.aboveBytes) {
          await responseMemory.hold(reader, range.end - range.start + 1);
          return await new Response(await load(location, range)).bytes();
        }
        return await longReads.body(reader, {
          file: () => fileOf(location, range, reader.clientKey),
          stream: () => load(location, range),
        });
      }
      const whole = await cache.get(keyOf(location), () => loadWhole(location));
      const all = range.start === 0 && range.end === length - 1;
      return all ? whole : whole.subarray(range.start, range.end + 1);
    },
    isCached: ({ length }) => length <= cacheable,
    stream: (location, client) =>
      longReads.stream(client, () => load(location, { start: 0, end: location.length - 1 })),
  };
}
