import { chmod, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type FolderLock, lockFolder } from '../../shared/adapters/data-dir/folder-lock.ts';
import { messageOf } from '../../shared/message-of.ts';
import { assertBlobKey } from '../../shared/ports/blob-store.ts';
import { syncPath } from '../../shared/sync-path.ts';
import { ToolError } from './run-tool.ts';

/**
 * One backup:
 *
 *     manifest.json       what the backup consists of; written last, so without it there is none
 *     data-<time>/        a file for each table, and the list of blobs
 *     blobs/ab/cdef…      the blobs; one that is here is whole, and is not copied again
 *     incoming/           blobs under way
 *     lock                held while a backup is being made
 */
export const pathsOf = (folder: string) => ({
  manifest: join(folder, 'manifest.json'),
  blobs: join(folder, 'blobs'),
  incoming: join(folder, 'incoming'),
  blob(key: string): string {
    assertBlobKey(key);
    return join(folder, 'blobs', key);
  },
});

/** The folder of one backup's files. */
export const DATA_FOLDER = /^data-\d{8}T\d{9}Z$/;
const PART = /^(?:manifest\.json(?:\.new)?|blobs|incoming|lock(?:-journal)?|lost\+found)$/;

/** All that `openBackupFolder` makes in a folder. */
const MADE_AT_ONCE = /^(?:blobs|incoming|lock(?:-journal)?)$/;

/** Refuses a folder with foreign files: a backup deletes whatever in its folder belongs to no backup. */
async function refuseOtherFolders(folder: string): Promise<void> {
  const stranger = (await readdir(folder)).find((name) => !PART.test(name) && !DATA_FOLDER.test(name));
  if (stranger !== undefined) {
    throw new ToolError(`${folder} holds other things than a backup (${stranger}). Choose an empty folder.`);
  }
}

/** The folder of a backup, taken for this process. */
interface BackupFolder {
  folder: string;
  /** Whether it was not there before. */
  isNew: boolean;
  lock: FolderLock;
}

/** Makes the folder if need be, for its owner alone, and takes it for this process. */
export async function openBackupFolder(path: string): Promise<BackupFolder> {
  try {
    const made = await mkdir(path, { recursive: true, mode: 0o700 });
    const folder = await realpath(path);
    await refuseOtherFolders(folder);
    const lock = lockFolder(folder);
    // Hashes of passwords, client addresses and everything that people keep to themselves are in it.
    await chmod(folder, 0o700);
    for (const part of [pathsOf(folder).blobs, pathsOf(folder).incoming])
      await mkdir(part, { recursive: true, mode: 0o700 });
    return { folder, isNew: made !== undefined, lock };
  } catch (error) {
    if (error instanceof ToolError) throw error;
    if (error instanceof Error && /already in use|is in use/.test(error.message)) {
      throw new ToolError(`Another backup into ${path} is under way. Wait for it, or choose another folder.`);
    }
    throw new ToolError(`${path} cannot take a backup (${messageOf(error)}).`);
  }
}

/** Removes a folder to which nothing of a backup has come. */
export async function removeIfEmpty(folder: string): Promise<void> {
  const { blobs, incoming } = pathsOf(folder);
  const inside = (await Promise.all([blobs, incoming].map((part) => readdir(part)))).flat();
  const isEmpty = inside.length === 0 && (await readdir(folder)).every((name) => MADE_AT_ONCE.test(name));
  if (isEmpty) await rm(folder, { recursive: true });
}

/** Makes a new folder for the files of one backup, named by its moment. */
export async function makeDataFolder(folder: string, now: Date): Promise<string> {
  const data = `data-${now.toISOString().replace(/[-:.]/g, '')}`;
  await mkdir(join(folder, data), { mode: 0o700 });
  await syncPath(folder);
  return data;
}
