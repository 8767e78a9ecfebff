import { readdir, readFile } from 'node:fs/promises';
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
  for (const process_ of left) process.stdout.write(`still running: ${process_}\n`);
  const seconds = (performance.now() - started) / 1000;
  return {
    name: 'no process left behind',
    passed: left.length === 0 ? 1 : 0,
    failed: left.length === 0 ? 0 : 1,
    seconds,
  };
}

async function marked(run: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // A process may end while we look.
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (!environment.includes(`${RUN_MARK}=${run}`)) continue;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    found.push(`${pid} ${command.replaceAll('\0', ' ')}`);
  }
  return found;
}
