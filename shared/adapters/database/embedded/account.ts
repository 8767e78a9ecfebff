import { execFile } from 'node:child_process';
import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from '../../../logger.ts';

const run = promisify(execFile);

/** The operating system user that runs PostgreSQL when we are root, whom PostgreSQL refuses. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

const NAME = 'postgres';

/** The user to run PostgreSQL as, created when missing; null when we are not root and run it as ourselves. */
export async function databaseAccount(log: Logger): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null;
  const found = await lookUp();
  if (found !== null) return found;
  log.info({ user: NAME }, 'creating the user that runs PostgreSQL, which refuses to run as root');
  let failure: unknown;
  try {
    await run('groupadd', ['--force', '--system', NAME]);
    await run('useradd', [
      ...['--system', '--gid', NAME, '--no-create-home', '--home-dir', '/nonexistent'],
      ...['--shell', '/usr/sbin/nologin', NAME],
    ]);
  } catch (error) {
    failure = error;
  }
  const created = await lookUp();
  if (created !== null) return created;
  throw new Error(
    `PostgreSQL does not run as root, and the user "${NAME}" to run it could not be created. Create it, start Perch as an ordinary user, or set PG_URL.`,
    { cause: failure },
  );
}

async function lookUp(): Promise<Account | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', NAME]), run('id', ['-g', NAME])]);
    return { name: NAME, uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

/** The first folder on the way to `path` (which must exist) that `account` may not enter; null when none. */
export async function firstClosedFolder(path: string, account: Account): Promise<string | null> {
  const folders: string[] = [];
  for (let folder = await realpath(path); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  for (const folder of folders) {
    const { mode, uid, gid } = await stat(folder);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return folder;
  }
  return null;
}
