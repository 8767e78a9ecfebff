import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentOfBun } from '../../../config.ts';
import { nullWhen } from '../../../error-code.ts';
import { syncPath } from '../../../sync-path.ts';

/** From so many files on a process of its own syncs them: here each takes three turns of a thread for files. */
const MANY = 64;

/** Longest that such a process may take, in ms. */
const LIMIT_MS = 300_000;

const SYNC_PROCESS = fileURLToPath(new URL('./sync-process.ts', import.meta.url));

export interface PathsToSync {
  /** Holds the folders of the files. */
  root: string;
  /** Files, and then their folders. One that is missing is left out. */
  paths: string[];
}

/**
 * Makes files and their names durable, those that are still there.
 * @param root holds the folders of the files
 * @throws when the disk did not take all: it may then hold none of them, and another sync would succeed all the same
 */
export async function syncFiles(root: string, files: string[], signal: AbortSignal): Promise<void> {
  const toSync = { root, paths: [...files, ...new Set(files.map(dirname))] };
  const child = files.length < MANY ? null : startSyncProcess(toSync, signal);
  if (child === null) return await syncEach(toSync, signal);
  child.unref();
  const [code, said] = await Promise.all([child.exited, child.stderr.text()]);
  if (code !== 0) throw new Error(`files were not synced: ${said.trim() || (child.signalCode ?? code)}`);
}

/** `null` when there is no room for another process, say. */
function startSyncProcess(toSync: PathsToSync, signal: AbortSignal) {
  try {
    return Bun.spawn([process.execPath, '--no-env-file', SYNC_PROCESS], {
      stdin: Buffer.from(JSON.stringify(toSync)),
      stdout: 'ignore',
      stderr: 'pipe',
      env: environmentOfBun(),
      signal,
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
  } catch {
    return null;
  }
}

async function syncEach({ root, paths }: PathsToSync, signal: AbortSignal): Promise<void> {
  for (const path of paths) {
    signal.throwIfAborted();
    await syncPath(path).catch(nullWhen('ENOENT'));
  }
  await syncPath(root);
}
