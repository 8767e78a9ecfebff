import { randomUUID } from 'node:crypto';
import { link, mkdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, EXIT } from './failures.ts';

/** Replaces a file as a whole: when its content breaks off, the former one stays. */
export async function writeFileAtomically(
  path: string,
  content: string | AsyncIterable<Uint8Array>,
  mode: number,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, content, { mode });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Makes a file that is not there yet; `false`: somebody else has. */
export async function createFile(path: string, text: string, mode: number): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, text, { mode });
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Nobody holds a lock for so long; who made it has died. In ms. */
const LOCK_STALE_MS = 10_000;
/** Longest wait for a lock, in ms: that of a process which has died is stale before. */
const LOCK_WAIT_MS = LOCK_STALE_MS + 2_000;

/** Does something to a file that several processes change, one after the other. */
export async function withLock<T>(path: string, change: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  const deadline = Date.now() + LOCK_WAIT_MS;
  while (!(await takeLock(lock))) {
    if (Date.now() > deadline)
      throw new CommandError(`${path} is in use. If not, remove ${lock}.`, EXIT.unexpected);
    await sleep(20);
  }
  try {
    return await change();
  } finally {
    await rmdir(lock).catch(() => undefined);
  }
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    const made = await stat(lock).catch(() => null);
    if (made !== null && Date.now() - made.mtimeMs > LOCK_STALE_MS) await rmdir(lock).catch(() => undefined);
    return false;
  }
}

export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
