import { constants, copyFile, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nanoid } from 'nanoid';
import { falseWhen, nullWhen } from '../../../error-code.ts';
import { createFreshSingleFlight } from '../../../single-flight.ts';
import { syncPath } from '../../../sync-path.ts';

/** The files of blobs, as `<root>/<folder>/<name>`. All paths are below `root`. */
export interface BlobFiles {
  /** Durable when it resolves; whole or absent at any time. */
  place(path: string, bytes: Uint8Array): Promise<void>;
  /** As `place`, of a file of this size, in little memory. */
  placeCopy(path: string, source: string, size: number): Promise<void>;
  /** Not durable, and not whole before it resolves. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** Not durable, but whole or as it was at any time. */
  replace(path: string, bytes: Uint8Array): Promise<void>;
  /** For good: a power cut brings none back. */
  remove(paths: string[]): Promise<void>;
}

/**
 * A file is placed by way of a temporary one in `incoming`, which is synced and renamed, and then its folder is: a crash at any point
 * leaves the whole file or none.
 */
export function createBlobFiles(root: string, incoming: string): BlobFiles {
  /** Folders of blobs whose own entry is durable: it was synced since this process has seen them. */
  const lasting = new Set<string>();
  /** Not recursive: where the store was taken away no new, empty one may appear. */
  const makeFolder = async (folder: string): Promise<void> => {
    const isNew = await mkdir(folder, { mode: 0o700 }).then(() => true, falseWhen('EEXIST'));
    if (isNew) lasting.delete(folder);
  };
  /** Makes the folder of `path` when that is what `act` lacked. */
  const inFolderOf = async (path: string, act: () => Promise<void>): Promise<void> => {
    const isDone = await act().then(() => true, falseWhen('ENOENT'));
    if (isDone) return;
    await makeFolder(dirname(path));
    await act();
  };
  const shareSync = createFreshSingleFlight<void>();
  /** Files that are placed in one folder at a time share a sync, which began when all of them were there. */
  const keepFolder = (folder: string): Promise<void> =>
    shareSync(folder, async () => {
      await syncPath(folder);
      if (lasting.has(folder)) return;
      await syncPath(root);
      lasting.add(folder);
    });
  /** Lets `make` make a temporary file whole, and puts it in its place. */
  const moveIn = async (path: string, make: (temporary: string) => Promise<void>): Promise<void> => {
    const temporary = join(incoming, nanoid());
    try {
      await make(temporary);
      await inFolderOf(path, () => rename(temporary, path));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  };
  /** @param make makes it durable, too */
  const placeBy = async (path: string, make: (temporary: string) => Promise<void>): Promise<void> => {
    try {
      await moveIn(path, make);
      await keepFolder(dirname(path));
    } catch (error) {
      await rm(path, { force: true }).catch(() => undefined);
      throw error;
    }
  };

  return {
    place: (path, bytes) => placeBy(path, (temporary) => writeSynced(temporary, bytes)),
    placeCopy: (path, source, size) => placeBy(path, (temporary) => copySynced(source, temporary, size)),
    write: (path, bytes) => inFolderOf(path, () => writeFile(path, bytes, { mode: 0o600 })),
    replace: (path, bytes) => moveIn(path, (temporary) => writeFile(temporary, bytes, { mode: 0o600 })),
    async remove(paths) {
      await Promise.all(paths.map((path) => rm(path, { force: true })));
      const folders = [...new Set(paths.map((path) => dirname(path)))];
      await Promise.all(folders.map((folder) => syncPath(folder).catch(nullWhen('ENOENT'))));
    },
  };
}

/** A file that is not there yet; each write of it returns when its bytes are on the disk, and fails when they are not. */
export const NEW_AND_SYNCED = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_DSYNC;

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
