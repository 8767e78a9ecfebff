import { readdirSync, readFileSync } from 'node:fs';
import { errorCode } from '../../shared/error-code.ts';
import { until } from '../until.ts';

type ProcessRow = { pid: number; parent: number; state: string };

function readProcess(pid: number): ProcessRow | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The command name stands in parentheses and may itself hold spaces and parentheses.
  const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid, parent: Number(parent), state };
}

/** False for a zombie too: under an init that does not reap, killed orphans stay in the process table. */
export function isAlive(pid: number): boolean {
  const row = readProcess(pid);
  return row !== null && row.state !== 'Z' && row.state !== 'X';
}

/** `root` and all its descendants that are alive, parents before their children. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const row = /^\d+$/.test(name) ? readProcess(Number(name)) : null;
    if (row) children.set(row.parent, [...(children.get(row.parent) ?? []), row.pid]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree.filter(isAlive);
}

/** Sends a signal to each process that is still there. */
export function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (errorCode(error) !== 'ESRCH') throw error;
    }
  }
}

/**
 * Stops a process, and resolves when it has stopped or is gone: until then it may still be starting another process.
 * @throws Error when that takes longer than `limitMs`
 */
export async function suspend(pid: number, limitMs: number): Promise<void> {
  signalAll([pid], 'SIGSTOP');
  const isStill = async (): Promise<boolean> => !isAlive(pid) || readProcess(pid)?.state === 'T';
  await until(`process ${pid} has stopped`, isStill, limitMs);
}

/** Resolves to the processes that are still alive after `limitMs`: none when all went in time. */
export async function waitUntilGone(pids: number[], limitMs: number): Promise<number[]> {
  const deadline = Date.now() + limitMs;
  let left = pids.filter(isAlive);
  while (left.length > 0 && Date.now() < deadline) {
    await Bun.sleep(5);
    left = left.filter(isAlive);
  }
  return left;
}
