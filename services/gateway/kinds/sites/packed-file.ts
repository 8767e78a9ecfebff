import { type FileHandle, open, rm } from 'node:fs/promises';
import { available } from './temporary-storage.ts';

/** Small writes are gathered up to this many bytes. */
const BUFFER_BYTES = 262_144;

/** A new file that grows at its end. One call at a time. */
export interface PackedFile {
  /** Bytes appended so far. */
  readonly size: number;
  /** Resolves when the bytes are written or copied, so that the caller may reuse them. */
  append(bytes: Uint8Array): Promise<void>;
  /** Writes what is gathered and closes the file. */
  finish(): Promise<void>;
  /** Closes and removes the file, at any time and any number of times. */
  remove(): Promise<void>;
}

/** @throws UNAVAILABLE when the file exists or the disk fails. */
export async function createPackedFile(path: string): Promise<PackedFile> {
  const file = await available(() => open(path, 'wx', 0o600));
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let gathered = 0;
  let size = 0;
  let closed = false;

  const flush = async (): Promise<void> => {
    const length = gathered;
    gathered = 0;
    await writeAll(file, buffer.subarray(0, length));
  };
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await file.close();
  };

  return {
    get size() {
      return size;
    },
    append: (bytes) =>
      available(async () => {
        if (gathered + bytes.length > buffer.length) await flush();
        if (bytes.length > buffer.length) await writeAll(file, bytes);
        else {
          buffer.set(bytes, gathered);
          gathered += bytes.length;
        }
        size += bytes.length;
      }),
    finish: () =>
      available(async () => {
        await flush();
        await close();
      }),
    remove: () =>
      available(async () => {
        await close();
        await rm(path, { force: true });
      }),
  };
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done);
    done += bytesWritten;
  }
}
