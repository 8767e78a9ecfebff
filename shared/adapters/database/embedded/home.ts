import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../error-code.ts';
import type { Logger } from '../../../logger.ts';
import { messageOf } from '../../../message-of.ts';
import { lockFolder } from '../../data-dir/folder-lock.ts';
import { closeFolder, openPassage } from '../../data-dir/private-files.ts';
import { type Account, firstClosedFolder } from './account.ts';
import { SHARED_HOME } from './binaries.ts';
import { findPostmaster, stopPostmaster } from './process.ts';
import { setAside } from './set-aside.ts';

/**
 * The folder that holds the database of a data folder: `<dataDir>/postgres`, or, when the user that runs PostgreSQL
 * cannot work there, one under `/var/lib/perch`. Then `<dataDir>/postgres/location` names it, so that the data
 * folder may be renamed.
 *
 * @param dataDir an existing folder, without symbolic links in its path
 */
export async function databaseHome(dataDir: string, account: Account | null, log: Logger): Promise<string> {
  const own = join(dataDir, 'postgres');
  const pointer = join(own, 'location');
  await mkdir(own, { recursive: true, mode: 0o700 });
  const recorded = await readPointer(pointer, { dataDir, own, account });
  if (account === null) {
    if (recorded === null) return own;
    throw new Error(`The database of ${dataDir} is in ${recorded}, made by root. Start Perch as root.`);
  }
  if (recorded !== null) {
    if (!(await isThere(recorded))) {
      throw new Error(
        `The database of ${dataDir} was in ${recorded}, which is missing. Restore that folder, or remove ${pointer} to start with an empty database.`,
      );
    }
    log.warn({ folder: recorded, dataDir }, 'the database is kept outside the data folder');
    return recorded;
  }
  const obstacle = await prepare([dataDir, own], account);
  if (obstacle === null) return own;
  if (await isThere(join(own, 'cluster'))) {
    throw new Error(
      `The database in ${own} cannot be used by the user "${account.name}" that runs it: ${obstacle}.`,
    );
  }
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const away = join(SHARED_HOME, name);
  await makeRoom(away, log);
  await mkdir(away, { recursive: true });
  for (const folder of [SHARED_HOME, away]) await chmod(folder, 0o755);
  for (const folder of [own, dataDir]) await closeFolder(folder, log);
  await writeFile(pointer, `${away}\n`, { flush: true, mode: 0o600 });
  log.warn(
    { folder: away, dataDir, reason: obstacle },
    'the database is kept outside the data folder: the user that runs PostgreSQL cannot work there',
  );
  return away;
}

/** The folder that a pointer names; null when there is no pointer. A failing disk does not count as none. */
async function readPointer(
  pointer: string,
  { dataDir, own, account }: { dataDir: string; own: string; account: Account | null },
): Promise<string | null> {
  try {
    return (await readFile(pointer, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    if (errorCode(error) === 'EACCES' && account === null && (await stat(own)).uid === 0)
      throw new Error(`The database of ${dataDir} is in a folder made by root. Start Perch as root.`);
    throw unreadable(pointer, error);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw unreadable(path, error);
  }
}

const unreadable = (path: string, error: unknown): Error =>
  new Error(
    `${path} cannot be read, so Perch does not know where its database is (${messageOf(error)}). Make it readable, remove nothing, and start Perch again.`,
    { cause: error },
  );

/** Lets the user through the folders to a database in the last of them, and to nothing else. Returns why it cannot. */
async function prepare(folders: [dataDir: string, own: string], account: Account): Promise<string | null> {
  const [, own] = folders;
  try {
    for (const folder of folders) await openPassage(folder, account.gid);
  } catch (error) {
    return `the file system refuses to let it through (${messageOf(error)})`;
  }
  return await unsuitable(own, account);
}

/** Why the user cannot keep a database under `own`; null when it can. */
async function unsuitable(own: string, account: Account): Promise<string | null> {
  const closed = await firstClosedFolder(own, account);
  if (closed !== null) return `it may not enter ${closed}`;
  const probe = join(own, `probe-${process.pid}`);
  try {
    await mkdir(probe, { mode: 0o700 });
    await chown(probe, account.uid, account.gid);
    const { uid, mode } = await stat(probe);
    if (uid === account.uid && (mode & 0o777) === 0o700) return null;
    return 'the file system keeps no owners or modes';
  } catch (error) {
    return `the file system refuses to change owners (${messageOf(error)})`;
  } finally {
    await rmdir(probe).catch(() => undefined);
  }
}

/** Sets aside the database of an earlier data folder of this name, and ends its server if that still runs. */
async function makeRoom(away: string, log: Logger): Promise<void> {
  if (!(await isThere(away))) return;
  // Throws when a living process still uses it: its data folder was removed under it.
  lockFolder(away).release();
  const cluster = join(away, 'cluster');
  const running = await findPostmaster(cluster);
  if (running !== null) await stopPostmaster(running.pid, cluster);
  const kept = await setAside(away, cluster);
  if (kept !== null)
    log.warn({ kept }, 'found the database of an earlier data folder at this place; it is set aside');
}
