import { chmod, chown, stat } from 'node:fs/promises';
import type { Logger } from '../../logger.ts';

/**
 * Closes a folder to all users but its own: what lies in it may have been readable to anybody, under an earlier release.
 * Where the file system or its owner does not allow that, the log says so.
 */
export async function closeFolder(folder: string, log: Logger): Promise<void> {
  await setMode(folder, 0o700).catch((error: unknown) =>
    log.warn(
      { error, folder },
      'other users of this machine may be able to read this folder: it cannot be closed',
    ),
  );
}

/** Lets a group pass through a closed folder to what is its own below, and see nothing else of it. */
export async function openPassage(folder: string, gid: number): Promise<void> {
  await chown(folder, (await stat(folder)).uid, gid);
  await setMode(folder, 0o710);
}

async function setMode(folder: string, mode: number): Promise<void> {
  if (((await stat(folder)).mode & 0o777) !== mode) await chmod(folder, mode);
}
