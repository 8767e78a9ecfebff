import { Database } from 'bun:sqlite';
import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../error-code.ts';

export interface FolderLock {
  /** Gives the folder up; asking again changes nothing. */
  release(): void;
}

/** Another process has the folder. */
export class FolderInUse extends Error {}

/** Two processes that start together can refuse each other for an instant; SQLite settles it within this time. */
const SETTLE_MS = 500;

/** Keeps the holding connections alive: a collected connection would be closed, and its lock with it. */
const held = new Map<string, Database>();

/**
 * Takes a data folder for this process alone, creating it when missing. The lock is SQLite's on `<dir>/lock`, so the
 * kernel frees it however the process ends. Nothing else may open that file in this process: closing any handle of
 * it drops POSIX locks.
 *
 * @throws FolderInUse when another process holds it; Error when an earlier call does, when it
 *   cannot be written, or when something else stands in its place.
 */
export function lockFolder(dir: string): FolderLock {
  const folder = createFolder(dir);
  if (held.has(folder)) {
    throw new Error(`The data folder ${folder} is already in use by this very process. Open it only once.`);
  }
  let database: Database | undefined;
  try {
    database = new Database(join(folder, 'lock'), { create: true, readwrite: true });
    database.run(`PRAGMA busy_timeout = ${SETTLE_MS}`);
    database.run('BEGIN EXCLUSIVE');
    chmodSync(join(folder, 'lock'), 0o600);
  } catch (error) {
    database?.close();
    throw refusal(folder, error);
  }
  held.set(folder, database);
  const owned = database;
  return {
    release() {
      if (held.get(folder) !== owned) return;
      held.delete(folder);
      owned.close();
    },
  };
}

function createFolder(dir: string): string {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return realpathSync(dir);
  } catch (error) {
    const code = errorCode(error);
    const reason =
      code === 'EEXIST' || code === 'ENOTDIR'
        ? 'a file stands in its place'
        : `it cannot be created (${code ?? String(error)})`;
    throw new Error(
      `The data folder ${dir} cannot be used: ${reason}. Choose a folder that this user may write.`,
      {
        cause: error,
      },
    );
  }
}

function refusal(folder: string, error: unknown): Error {
  const code = errorCode(error) ?? String(error);
  if (code.startsWith('SQLITE_BUSY')) {
    return new FolderInUse(
      `The data folder ${folder} is in use by another Perch process. Stop that process first, or give this one a data folder of its own.`,
      { cause: error },
    );
  }
  return new Error(
    `The data folder ${folder} cannot be locked (${code}). Choose a folder on a local disk that this user may write.`,
    { cause: error },
  );
}
