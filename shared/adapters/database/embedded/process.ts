import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { errorCode } from '../../../error-code.ts';

const run = promisify(execFile);
const hasProc = existsSync('/proc/self/cmdline');

/** How often the state of a process is looked at, in ms. */
const POLL_MS = 10;
/** How long each way of stopping gets, in ms: clients dropped and a checkpoint; no checkpoint; the kernel's. */
const STOP_STEPS = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 3_000],
  ['SIGKILL', 3_000],
] as const;

export interface Postmaster {
  pid: number;
  /** Path of the cluster when the server started: its folder may have been renamed since. */
  folder: string;
  port: number;
  /** `starting`, `ready`, `stopping`, or empty before the server has said so. */
  status: string;
}

/**
 * Reads the cluster's `postmaster.pid` (format: PostgreSQL, src/include/utils/pidfile.h), which may be out of date;
 * `null` when there is none or it is empty.
 */
export async function readPostmaster(cluster: string): Promise<Postmaster | null> {
  const lines = (await readIfThere(join(cluster, 'postmaster.pid'))).split('\n');
  // A single-user server, which sets the password, writes its number negative.
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isInteger(pid) || pid <= 1) return null;
  return { pid, folder: lines[1] ?? '', port: Number(lines[3]), status: lines[7]?.trim() ?? '' };
}

/** The text of a file, empty when there is none. Any other failure to read must not pass for "no server runs". */
async function readIfThere(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  });
}

/**
 * Whether `pid` is alive and is the PostgreSQL server of exactly this cluster. The number in the file alone proves nothing, as
 * the kernel uses numbers again. A server's working directory is its cluster's folder, also after that was renamed; its command
 * line has the name at the start, which another folder may have by now.
 */
export async function runsCluster(pid: number, cluster: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) !== 'EPERM') return false;
  }
  if (hasProc) {
    const words = (await readIfThere(`/proc/${pid}/cmdline`)).split('\0');
    if (basename(words[0] ?? '') !== 'postgres') return false;
    return (await isSameFolder(`/proc/${pid}/cwd`, cluster)) ?? words[words.indexOf('-D') + 1] === cluster;
  }
  const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return /postgres /.test(stdout) && stdout.includes(` -D ${cluster} `);
}

/** `null` where one of them is gone, or may not be read: in a container root may lack the right to see another user's process. */
async function isSameFolder(one: string, other: string): Promise<boolean | null> {
  const read = (path: string) => stat(path, { bigint: true }).catch(() => null);
  const [first, second] = await Promise.all([read(one), read(other)]);
  if (first === null || second === null) return null;
  return first.dev === second.dev && first.ino === second.ino;
}

/** The running server of this cluster; `null`: there is none. */
export async function findPostmaster(cluster: string): Promise<Postmaster | null> {
  const postmaster = await readPostmaster(cluster);
  return postmaster !== null && (await runsCluster(postmaster.pid, cluster)) ? postmaster : null;
}

/**
 * Stops the server `pid` of the cluster and waits until it is gone: a fast shutdown, sterner when that takes too
 * long. A process that is not this cluster's server is never touched.
 */
export async function stopPostmaster(pid: number, cluster: string): Promise<void> {
  for (const [signal, patienceMs] of STOP_STEPS) {
    if (!(await runsCluster(pid, cluster))) return;
    try {
      process.kill(pid, signal);
    } catch {
      // The process ended between the check and the signal.
    }
    if (await pollUntil(async () => !(await runsCluster(pid, cluster)), patienceMs)) return;
  }
  throw new Error(`The PostgreSQL server of ${cluster} (process ${pid}) does not end.`);
}

/** Asks again until the answer is yes or the time is over; the last answer. */
export async function pollUntil(check: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  const end = Date.now() + limitMs;
  while (!(await check())) {
    if (Date.now() > end) return false;
    await sleep(POLL_MS);
  }
  return true;
}
