import { readFileSync } from 'node:fs';
import { mkdir, statfs } from 'node:fs/promises';
import { until } from '../../infra/until.ts';

/** A file system of a test's own, which can be full and read-only at will. */
export interface SmallDisk {
  /** Takes all room but so many bytes, whatever is on it; waits out those who make room just then. */
  fill(leave?: number): Promise<void>;
  /** As much room as at first. */
  makeRoom(): Promise<void>;
  /** For whoever opens a file by its absolute path from now on. */
  makeReadOnly(): Promise<void>;
  makeWritable(): Promise<void>;
  /** With all that is on it. */
  unmount(): Promise<void>;
}

/** Device names of these disks: they say who made them, so that those of a test that was killed can go. */
const DEVICE = /^(perch-test-disk-(\d+)) (\S+) tmpfs /;

const mounted = new Set<string>();
process.on('exit', () => {
  for (const path of mounted) tryRun('umount', '--lazy', path);
});

/** Mounts a disk in memory at a folder, which is made when missing. Wants root, and the right to mount. */
export async function mountSmallDisk(path: string, bytes: number): Promise<SmallDisk> {
  if (process.geteuid?.() !== 0) throw new Error('tests of full disks mount small ones: run them as root');
  unmountForsaken();
  await mkdir(path, { recursive: true });
  const device = `perch-test-disk-${process.pid}`;
  run('mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=0755`, device, path);
  mounted.add(path);
  let isCovered = false;
  const makeWritable = async (): Promise<void> => {
    if (isCovered) run('umount', '--lazy', path);
    isCovered = false;
  };

  return {
    async fill(leave = 0) {
      for (;;) {
        const { blocks, bfree, bsize } = await statfs(path);
        // The kernel refuses a size below what is used by now.
        // None at all would be no limit.
        const pages = Math.max(1, blocks - bfree + Math.floor(leave / bsize));
        if (tryRun('mount', '-o', `remount,size=${pages * bsize}`, path) !== '') continue;
        const left = await statfs(path);
        if (left.bfree * bsize <= Math.max(leave, bsize)) return;
      }
    },
    makeRoom: async () => run('mount', '-o', `remount,size=${bytes}`, path),
    async makeReadOnly() {
      // On top of itself: who has a file open for writing would keep the disk from becoming read-only.
      run('mount', '--bind', path, path);
      isCovered = true;
      // A server may have opened a file for writing since: it closes it again soon.
      await until(`${path} is read-only`, async () => tryRun('mount', '-o', 'remount,bind,ro', path) === '');
    },
    makeWritable,
    async unmount() {
      await makeWritable();
      if (mounted.delete(path)) run('umount', '--lazy', path);
    },
  };
}

function unmountForsaken(): void {
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const [, , pid, path] = DEVICE.exec(line) ?? [];
    if (pid === undefined || path === undefined || isAlive(Number(pid))) continue;
    tryRun('umount', '--lazy', path);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns what the command says of its failure; nothing when it has done its work. */
function tryRun(...command: string[]): string {
  const { exitCode, stderr } = Bun.spawnSync(command);
  return exitCode === 0 ? '' : stderr.toString().trim() || `${command[0]} ended with ${exitCode}`;
}

function run(...command: string[]): void {
  const failure = tryRun(...command);
  if (failure === '') return;
  throw new Error(`${command.join(' ')}: ${failure}. Tests of full disks need the right to mount.`);
}
