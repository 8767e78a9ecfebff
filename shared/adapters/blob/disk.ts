import {
  constants,
  copyFile,
  type FileHandle,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nanoid } from 'nanoid';
import { errorCode } from '../../error-code.ts';
import { errors } from '../../errors.ts';
import { assertBlobKey, assertRange, BLOB_KEY, type BlobStore } from '../../ports/blob-store.ts';
import { createFreshSingleFlight } from '../../single-flight.ts';
import { storageFailure } from '../../storage-failure.ts';
import { syncPath } from '../../sync-path.ts';

export interface DiskBlobStoreOptions {
  /** Made when missing. Blobs lie under `blobs/`, unfinished ones under `incoming/`. */
  dir: string;
}

/** Bytes read at once. */
const CHUNK = 262_144;

/**
 * Blobs as files. A put writes a temporary file, syncs it, renames it into place and syncs the folder: a crash at any
 * point leaves the whole blob or none. The next start removes files that a crash left in `incoming/`.
 */
export async function createDiskBlobStore({ dir }: DiskBlobStoreOptions): Promise<BlobStore> {
  const blobs = join(dir, 'blobs');
  const incoming = join(dir, 'incoming');
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  await mkdir(blobs, { recursive: true, mode: 0o700 });

  const pathOf = (key: string): string => {
    assertBlobKey(key);
    return join(blobs, key);
  };
  /** Tells a missing blob from a missing store, such as a volume that is not mounted. */
  const assertPresent = async (): Promise<void> => {
    if (!(await stat(blobs)).isDirectory()) throw new Error(`${blobs} is not a folder`);
  };

  /** Folders of blobs whose own entry is durable: it was synced since this process has seen them. */
  const lasting = new Set<string>();
  /** Not recursive: where the store was taken away no new, empty one may appear. */
  const makeFolder = async (folder: string): Promise<void> => {
    const isNew = await mkdir(folder, { mode: 0o700 }).then(() => true, falseWhen('EEXIST'));
    if (isNew) lasting.delete(folder);
  };
  const moveInto = async (temporary: string, target: string): Promise<void> => {
    const isMoved = await rename(temporary, target).then(() => true, falseWhen('ENOENT'));
    if (isMoved) return;
    await makeFolder(dirname(target));
    await rename(temporary, target);
  };
  const shareSync = createFreshSingleFlight<void>();
  /** Puts into one folder at a time share a sync, which began when all of their files were there. */
  const keepFolder = (folder: string): Promise<void> =>
    shareSync(folder, async () => {
      await syncPath(folder);
      if (lasting.has(folder)) return;
      await syncPath(blobs);
      lasting.add(folder);
    });

  const openPresent = async (key: string): Promise<{ file: FileHandle; size: number } | null> => {
    const file = await open(pathOf(key), 'r').catch(undefinedWhen('ENOENT'));
    if (file === undefined) {
      await assertPresent();
      return null;
    }
    try {
      return { file, size: (await file.stat()).size };
    } catch (error) {
      await file.close();
      throw error;
    }
  };

  /** Lets `write` make a temporary file whole and durable, and puts it in its place. */
  const place = async (key: string, write: (temporary: string) => Promise<void>): Promise<void> => {
    const target = pathOf(key);
    const temporary = join(incoming, nanoid());
    await orUnavailable(async () => {
      try {
        await write(temporary);
        await moveInto(temporary, target);
        await keepFolder(dirname(target));
      } catch (error) {
        await Promise.allSettled([rm(temporary, { force: true }), rm(target, { force: true })]);
        throw error;
      }
    });
  };

  return {
    async put(key, bytes) {
      await place(key, (temporary) => writeSynced(temporary, bytes));
    },
    async putFile(key, path) {
      assertBlobKey(key);
      const { size } = await stat(path);
      await place(key, (temporary) => copySynced(path, temporary, size));
    },
    async open(key, range) {
      assertBlobKey(key);
      if (range !== undefined) assertRange(range);
      return await orUnavailable(async () => {
        const opened = await openPresent(key);
        if (opened === null) return null;
        const { file, size } = opened;
        try {
          if (range !== undefined) assertRange(range, size);
          return { size, body: read(file, range?.start ?? 0, range === undefined ? size : range.end + 1) };
        } catch (error) {
          await file.close();
          throw error;
        }
      });
    },
    async openFile(key) {
      assertBlobKey(key);
      return await orUnavailable(() => openPresent(key));
    },
    async remove(keys) {
      const paths = keys.map(pathOf);
      await orUnavailable(async () => {
        await assertPresent();
        await Promise.all(paths.map((path) => rm(path, { force: true })));
        // Synced, or a power cut could bring back what the caller no longer knows of.
        const folders = [...new Set(paths.map((path) => dirname(path)))];
        await Promise.all(folders.map((folder) => syncPath(folder).catch(undefinedWhen('ENOENT'))));
      });
    },
    async *list() {
      const folders = await orUnavailable(() => readdir(blobs, { withFileTypes: true }));
      for (const folder of folders) {
        if (!folder.isDirectory()) continue;
        for (const name of await orUnavailable(() => readdir(join(blobs, folder.name)))) {
          const key = `${folder.name}/${name}`;
          if (BLOB_KEY.test(key)) yield key;
        }
      }
    },
    async check() {
      await orUnavailable(assertPresent);
    },
    async close() {},
  };
}

/** A file that is not there yet; each write of it returns when its bytes are on the disk, and fails when they are not. */
const NEW_AND_SYNCED = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_DSYNC;

/** One step for Bun's threads for files in place of four: to open, to write, to sync and to close. */
async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(path, bytes, { flag: NEW_AND_SYNCED, mode: 0o600 });
}

/** Shares the blocks of both files where the filesystem can; there the bytes are not written again. */
async function copySynced(source: string, target: string, size: number): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const file = await open(target, 'r');
  try {
    const copied = (await file.stat()).size;
    if (copied !== size) throw new Error(`${copied} of ${size} bytes were copied`);
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The bytes from `start` up to `end`. The file is open from the start, so that its removal does not end a read. */
function read(file: FileHandle, start: number, end: number): ReadableStream<Uint8Array> {
  let position = start;
  return new ReadableStream({
    async pull(controller) {
      try {
        if (position < end) {
          const chunk = new Uint8Array(Math.min(CHUNK, end - position));
          const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
          if (bytesRead === 0) throw new Error(`the blob ended ${end - position} bytes early`);
          position += bytesRead;
          controller.enqueue(chunk.subarray(0, bytesRead));
        }
        if (position < end) return;
        await file.close();
        controller.close();
      } catch (error) {
        await file.close();
        throw errors.unavailable('content store', error);
      }
    },
    cancel: () => file.close(),
  });
}

const undefinedWhen =
  (code: string) =>
  (error: unknown): undefined => {
    if (errorCode(error) !== code) throw error;
  };

const falseWhen =
  (code: string) =>
  (error: unknown): false => {
    if (errorCode(error) !== code) throw error;
    return false;
  };

async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw storageFailure('content store', error);
  }
}
