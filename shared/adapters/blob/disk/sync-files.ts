import { dirname } from 'node:path';
import { errorCode } from '../../../error-code.ts';
import { syncPath } from '../../../sync-path.ts';

/** From so many files on one sync of the whole file system costs less than one of each. */
const MANY = 64;

/** Makes files and their names durable, those that are still there. `root` holds their folders. */
export async function syncFiles(root: string, paths: string[]): Promise<void> {
  if (paths.length >= MANY && (await syncFileSystem(root))) return;
  for (const path of paths) await syncPath(path).catch(ignoreMissing);
  for (const folder of new Set(paths.map(dirname))) await syncPath(folder).catch(ignoreMissing);
  await syncPath(root);
}

/** `false` where that is not known to wait until the disk has all: elsewhere than on Linux (syncfs(2), by `sync -f` of coreutils). */
async function syncFileSystem(root: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  try {
    const sync = Bun.spawn(['sync', '-f', root], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
    sync.unref();
    return (await sync.exited) === 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}
