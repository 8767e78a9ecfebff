import { chmod, mkdtemp, readdir, readFile, readlink, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownEnvironment } from '../infra/environment.ts';
import { signalAll, waitUntilGone } from '../infra/servers/process-tree.ts';
import type { Outcome } from './suites.ts';

/** A process that ends because its parent did may take this long, in ms. */
const GRACE_MS = 10_000;

/**
 * A folder for all temporary files of a run; its suites get it as TMPDIR. By that variable, or by its working folder, a
 * process is known as the run's: the database server of an embedded Perch inherits no variable, and runs in its data
 * folder. Open to pass through, as PostgreSQL runs as a user of its own.
 */
export async function makeRunFolder(): Promise<string> {
  const folder = await mkdtemp(join(await placeForRun(), 'perch-run-'));
  await chmod(folder, 0o711);
  return folder;
}

/** Where Linux keeps files in memory. */
const IN_MEMORY = '/dev/shm';
/** Room that a run wants there, and as much memory besides, in bytes. */
const ROOM = 8 * 1_073_741_824;

/**
 * Memory where there is plenty of it, as tests make hundreds of databases and delete them at once. Nothing is asked of a
 * disk there: power cuts have disks of their own, and a process that is killed loses nothing it wrote to either.
 */
async function placeForRun(): Promise<string> {
  if (ownEnvironment().TMPDIR !== undefined) return tmpdir();
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  const mount = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, path]) => path === IN_MEMORY);
  const options = mount?.[3]?.split(',') ?? ['noexec'];
  if (options.includes('noexec')) return tmpdir();
  const { bavail, bsize } = await statfs(IN_MEMORY);
  // A control group may allow less than the machine has.
  const memory = Math.min(process.availableMemory(), process.constrainedMemory());
  return bavail * bsize >= ROOM && memory >= 2 * ROOM ? IN_MEMORY : tmpdir();
}

/** Fails when a process that a suite started is still there. */
export async function findLeftovers(folder: string, graceMs = GRACE_MS): Promise<Outcome> {
  const started = performance.now();
  let left = await processesOf(folder);
  while (left.length > 0 && performance.now() - started < graceMs) {
    await Bun.sleep(100);
    left = await processesOf(folder);
  }
  const lines = left.map(({ pid, command }) => `still running: ${pid} ${command}`);
  for (const line of lines) process.stdout.write(`${line}\n`);
  const seconds = (performance.now() - started) / 1000;
  const name = 'no process left behind';
  if (left.length === 0) return { name, passed: 1, failed: 0, seconds, failures: [] };
  return { name, passed: 0, failed: 1, seconds, failures: [{ test: name, file: 'all suites', lines }] };
}

/** Ends what the suites of a run have started: asks first, as a database server keeps memory after a kill. */
export async function endLeftovers(folder: string): Promise<void> {
  const pidsLeft = async (): Promise<number[]> => (await processesOf(folder)).map(({ pid }) => pid);
  const asked = await pidsLeft();
  signalAll(asked, 'SIGTERM');
  await waitUntilGone(asked, GRACE_MS);
  const left = await pidsLeft();
  signalAll(left, 'SIGKILL');
  await waitUntilGone(left, GRACE_MS);
}

interface Found {
  pid: number;
  command: string;
}

async function processesOf(folder: string): Promise<Found[]> {
  const found: Found[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // A process may end while we look.
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    const isOurs =
      environment.split('\0').includes(`TMPDIR=${folder}`) || workingFolder.startsWith(`${folder}/`);
    if (!isOurs) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    found.push({ pid: Number(pid), command: command.replaceAll('\0', ' ') });
  }
  return found;
}
