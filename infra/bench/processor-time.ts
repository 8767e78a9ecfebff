import { readFileSync } from 'node:fs';

/** Ticks a second of the times in /proc (`getconf CLK_TCK`): 100 on every Linux that Bun runs on. */
const TICKS_PER_SECOND = 100;

/**
 * Processor time, user and system, that processes have used, in ms. Those that have ended count with the parent that
 * waited for them: of a server whose children come and go, give all that are alive.
 */
export const processorTime = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + timeOf(pid), 0);

function timeOf(pid: number): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return 0;
  }
  // Fields 14 to 17 (proc(5)); the command name stands in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1000) / TICKS_PER_SECOND;
}
