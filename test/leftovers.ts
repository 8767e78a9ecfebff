import { readdir, readFile } from 'node:fs/promises';
import { signalAll, waitUntilGone } from '../infra/servers/process-tree.ts';
import type { Outcome } from './suites.ts';

/** The variable that every process of a test run inherits. */
export const RUN_MARK = 'PERCH_TEST_RUN';

/** A process that ends because its parent did may take this long, in ms. */
const GRACE_MS = 3_000;

/** Fails when a process that a suite started is still there. */
export async function findLeftovers(run: string): Promise<Outcome> {
  const started = performance.now();
  let left = await marked(run);
  while (left.length > 0 && performance.now() - started < GRACE_MS) {
    await Bun.sleep(100);
    left = await marked(run);
  }
  const lines = left.map(({ pid, command }) => `still running: ${pid} ${command}`);
  for (const line of lines) process.stdout.write(`${line}\n`);
  const seconds = (performance.now() - started) / 1000;
  const name = 'no process left behind';
  if (left.length === 0) return { name, passed: 1, failed: 0, seconds, failures: [] };
  return { name, passed: 0, failed: 1, seconds, failures: [{ test: name, file: 'all suites', lines }] };
}

/** Ends what the suites of a run have started: asks first, as a database server keeps memory after a kill. */
export async function endLeftovers(run: string): Promise<void> {
  const pidsLeft = async (): Promise<number[]> => (await marked(run)).map(({ pid }) => pid);
  const asked = await pidsLeft();
  signalAll(asked, 'SIGTERM');
  await waitUntilGone(asked, GRACE_MS);
  const left = await pidsLeft();
  signalAll(left, 'SIGKILL');
  await waitUntilGone(left, GRACE_MS);
}

interface Marked {
  pid: number;
  command: string;
}

async function marked(run: string): Promise<Marked[]> {
  const found: Marked[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // A process may end while we look.
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (!environment.includes(`${RUN_MARK}=${run}`)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    found.push({ pid: Number(pid), command: command.replaceAll('\0', ' ') });
  }
  return found;
}
