import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nanoid } from 'nanoid';
import { errorCode } from '../../../../shared/error-code.ts';
import { errors } from '../../../../shared/errors.ts';
import type { Logger } from '../../../../shared/logger.ts';
import { storageFailure } from '../../../../shared/storage-failure.ts';

/** Temporary files of this process, of uploads under way and of copies on their way to readers. */
export interface Spool {
  /** Makes a new, empty file, which the caller must remove. @throws STORAGE_FULL; UNAVAILABLE once closed */
  file(): Promise<SpoolFile>;
  /** Opens a new, empty file without a name, which is gone when it is closed, or with the process. @throws when it cannot be made */
  unnamed(): Promise<FileHandle>;
  /** Removes every file that is left, and their folder. */
  close(): Promise<void>;
}

interface SpoolOptions {
  /** Made when missing; for the processes of one machine (or container) alone, as they go by process ids. */
  dir: string;
  log: Logger;
}

const FOLDER = /^upload-(\d+)$/;

/**
 * Makes this process's folder, `upload-<pid>`, and removes those of processes that ended without doing so.
 * @throws Error that names UPLOAD_DIR, when it cannot be used
 */
export async function createSpool(options: SpoolOptions): Promise<Spool> {
  const folder = await makeFolder(options).catch((cause: unknown) => {
    const wants = 'Set UPLOAD_DIR to a folder that this user may make or write to.';
    throw new Error(`UPLOAD_DIR ${options.dir} cannot be used. ${wants}`, { cause });
  });
  const files = new Set<SpoolFile>();
  let isClosed = false;
  return {
    async file() {
      if (isClosed) throw errors.unavailable('it is stopping');
      const file = await openSpoolFile(join(folder, nanoid()));
      const tracked: SpoolFile = {
        ...file,
        async remove() {
          files.delete(tracked);
          await file.remove();
        },
      };
      files.add(tracked);
      return tracked;
    },
    async unnamed() {
      if (isClosed) throw errors.unavailable('it is stopping');
      const path = join(folder, nanoid());
      const file = await open(path, 'wx+', 0o600);
      await rm(path, { force: true });
      return file;
    },
    async close() {
      isClosed = true;
      await Promise.allSettled([...files].map((file) => file.remove()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makeFolder({ dir, log }: SpoolOptions): Promise<string> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(dir)) {
    const pid = Number(FOLDER.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || (pid !== process.pid && isAlive(pid))) continue;
    await rm(join(dir, name), { recursive: true, force: true });
    log.info({ folder: name }, 'removed uploads of a process that is gone');
  }
  const folder = join(dir, `upload-${process.pid}`);
  // Not recursive: a folder that somebody else put there meanwhile is not ours to write to.
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user answers EPERM.
    return errorCode(error) !== 'ESRCH';
  }
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
  finish(): Promise<void>;
  /** Frees the space. More than once does no harm. @throws UNAVAILABLE when the disk fails */
  remove(): Promise<void>;
}

/**
 * Makes an empty file for this user alone.
 * @param flag `wx` refuses a file that is there
 * @throws STORAGE_FULL, UNAVAILABLE
 */
export async function openSpoolFile(path: string, flag: 'w' | 'wx' = 'w'): Promise<SpoolFile> {
  const file = await available(() => open(path, flag, 0o600));
  let closed: Promise<void> | null = null;

  const close = (): Promise<void> => {
    closed ??= file.close();
    return closed;
  };
  const remove = async (): Promise<void> => {
    // Even when closing tells of a failed write the space is to be freed.
    await Promise.allSettled([close()]);
    await available(() => rm(path, { force: true }));
  };
  const orRemoved = async (work: () => Promise<void>): Promise<void> => {
    try {
      await available(work);
    } catch (error) {
      await remove().catch(() => undefined);
      throw error;
    }
  };

  return {
    path,
    remove,
    write: (chunk) => orRemoved(() => writeAll(file, chunk)),
    finish: () => orRemoved(close),
  };
}

/** Writes all of the bytes: a disk that is nearly full takes a part of what it is given. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done);
    done += bytesWritten;
  }
}

/** Runs file work on the server's own disk. @throws UNAVAILABLE or STORAGE_FULL, as the client is not at fault */
export async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageFailure('disk space for uploads', error);
  }
}
