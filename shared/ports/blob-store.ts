import type { FileHandle } from 'node:fs/promises';

/** A byte range, both ends inclusive, as in RFC 9110 section 14.1.2. */
export interface ByteRange {
  start: number;
  end: number;
}

/** A blob opened for reading. The body must be consumed or cancelled. */
export interface OpenBlob {
  /** Size of the whole blob in bytes, also when a range was asked for. */
  size: number;
  body: ReadableStream<Uint8Array>;
}

/**
 * Reads above so many bytes last as long as whoever they are for takes, who may be far away. A process has so many of them
 * under way at most.
 */
export const LONG_READS = { aboveBytes: 1_048_576, maxAtOnce: 192 };

/**
 * Holds every byte of content under keys that are never used twice. Keys match BLOB_KEY.
 * When the store cannot be reached, every operation throws `UNAVAILABLE`.
 */
export interface BlobStore {
  /**
   * When it resolves the blob is whole and durable; when it rejects readers see nothing of it, but a server that was
   * too slow may still store it whole later.
   */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Stores the content of a file of any size, in little memory. The file must not change meanwhile. */
  putFile(key: string, path: string): Promise<void>;
  /** `null` when there is no such blob. A range that is not within the blob is a RangeError. */
  open(key: string, range?: ByteRange): Promise<OpenBlob | null>;
  /**
   * The file of a blob, open for reading, where blobs are files of this machine; `null` when there is no such blob. The
   * caller closes it; a removal meanwhile takes nothing from it.
   */
  openFile?(key: string): Promise<{ file: FileHandle; size: number } | null>;
  /** Removing what is not there is no error. */
  remove(keys: string[]): Promise<void>;
  /** Every key, for audits and tests; not for request paths. */
  list(): AsyncIterable<string>;
  /** Resolves when the store answers. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Guards every adapter alike against a range that is none or, once the size is known, not within the blob. */
export function assertRange({ start, end }: ByteRange, size = Number.MAX_SAFE_INTEGER): void {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (whole && start >= 0 && start <= end && end < size) return;
  throw new RangeError(`bytes ${start} to ${end} are not within a blob of ${size}`);
}

/** Two lower-case characters, a slash, and the rest: no key can name a place outside the store. */
export const BLOB_KEY = /^[a-z0-9]{2}\/[a-z0-9]{8,64}$/;

/** Guards every adapter against keys that did not come from `newBlobKey`. */
export function assertBlobKey(key: string): void {
  if (!BLOB_KEY.test(key)) throw new TypeError(`not a blob key: ${JSON.stringify(key.slice(0, 100))}`);
}
