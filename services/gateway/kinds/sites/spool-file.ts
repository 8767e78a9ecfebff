import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { storageFailure } from '../../../../shared/storage-failure.ts';

/** The bytes that were written to a spool file. */
export interface SpooledBytes {
  size: number;
  /** SHA-256 in hexadecimal. */
  sha256: string;
}

/** A temporary file, written once from its beginning to its end and gone after `remove`. */
export interface SpoolFile {
  readonly path: string;
  /**
   * Appends bytes. One call at a time: that it resolves says that more may come, and `chunk` may be reused.
   * @throws STORAGE_FULL, UNAVAILABLE when the disk is full or fails; the file is removed then
   */
  write(chunk: Uint8Array): Promise<void>;
  /** Ends the writing, without fsync: the file is not needed after a crash. */
  finish(): Promise<SpooledBytes>;
  /** Frees the space. More than once does no harm. @throws UNAVAILABLE when the disk fails */
  remove(): Promise<void>;
}

/** Makes an empty file for this user alone. @throws STORAGE_FULL, UNAVAILABLE */
export async function openSpoolFile(path: string): Promise<SpoolFile> {
  const file = await open(path, 'w', 0o600).catch((error: unknown) => {
    throw asFailure(error);
  });
  const hash = createHash('sha256');
  let size = 0;
  let closed: Promise<void> | null = null;

  const close = (): Promise<void> => {
    closed ??= file.close();
    return closed;
  };
  const remove = async (): Promise<void> => {
    // Even when closing tells of a failed write the space is to be freed.
    await Promise.allSettled([close()]);
    await rm(path, { force: true }).catch((error: unknown) => {
      throw asFailure(error);
    });
  };
  const orRemoved = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await remove().catch(() => undefined);
      throw asFailure(error);
    }
  };

  return {
    path,
    remove,
    async write(chunk) {
      await orRemoved(async () => {
        // A disk that is nearly full takes a part of what it is given.
        for (let written = 0; written < chunk.length; ) {
          const { bytesWritten } = await file.write(chunk, written, chunk.length - written);
          written += bytesWritten;
        }
      });
      hash.update(chunk);
      size += chunk.length;
    },
    async finish() {
      await orRemoved(close);
      return { size, sha256: hash.digest('hex') };
    },
  };
}

const asFailure = (error: unknown): Error => storageFailure('disk space for uploads', error);
