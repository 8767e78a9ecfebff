import { dlopen, FFIType } from 'bun:ffi';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { errorCode } from '../../../error-code.ts';
import type { PathsToSync } from './sync-files.ts';

// Syncs the paths that standard input names as JSON (`PathsToSync`), and ends with 1 when the disk did not take one.
const { root, paths } = (await Bun.stdin.json()) as PathsToSync;
try {
  writeBack(root);
  for (const path of paths) syncIfThere(path);
  withFile(root, fsyncSync);
} catch (error) {
  process.stderr.write(String(error));
  process.exitCode = 1;
}

/**
 * Lets the kernel write all of a file system in one go (syncfs(2)), after which a sync of each file costs little. Its result is not
 * looked at: FUSE and kernels before 5.8 report success whatever happens, while the sync of a file tells of that file.
 */
function writeBack(path: string): void {
  if (process.platform !== 'linux') return;
  try {
    const { symbols } = dlopen('libc.so.6', { syncfs: { args: [FFIType.int], returns: FFIType.int } });
    withFile(path, (file) => symbols.syncfs(file));
  } catch {
    // Another C library: the files are written one by one.
  }
}

function syncIfThere(path: string): void {
  try {
    withFile(path, fsyncSync);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

function withFile(path: string, act: (file: number) => unknown): void {
  const file = openSync(path, 'r');
  try {
    act(file);
  } finally {
    closeSync(file);
  }
}
