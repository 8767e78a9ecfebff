import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { errorCode } from '../../shared/error-code.ts';
import { processTree } from '../servers/process-tree.ts';

export interface ProcessMemory {
  name: string;
  /** Proportional set size: pages shared by several processes count by their share in each. */
  pssBytes: number;
  /** Resident set size: shared pages count whole in each process. */
  rssBytes: number;
  /** The share of `pssBytes` in fixed-size shared memory: the buffers of PostgreSQL. */
  sharedBytes: number;
}

/** The memory of a process and all its children, and of the database servers whose data is below a folder, if one is given. */
export async function memoryOf(root: number, dataDir?: string): Promise<ProcessMemory[]> {
  const servers = dataDir === undefined ? [] : postmasters(dataDir);
  return await memoryOfProcesses([root, ...servers].flatMap(processTree));
}

/** The memory of processes, each counted once, without their children. */
export async function memoryOfProcesses(pids: readonly number[]): Promise<ProcessMemory[]> {
  const measured = await Promise.all([...new Set(pids)].map(measure));
  return measured.filter((process) => process !== null);
}

/** The server may be detached from the process that uses it: its pid file names it. */
function postmasters(dataDir: string): number[] {
  return globSync(`${dataDir}/**/postmaster.pid`).map((file) =>
    Number(readFileSync(file, 'utf8').split('\n')[0]),
  );
}

/** `null` when the process ends while it is looked at. */
async function measure(pid: number): Promise<ProcessMemory | null> {
  try {
    const [smaps, command] = await Promise.all([
      readFile(`/proc/${pid}/smaps_rollup`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ]);
    return {
      name: nameOf(command),
      pssBytes: sizeIn(smaps, 'Pss'),
      rssBytes: sizeIn(smaps, 'Rss'),
      sharedBytes: sizeIn(smaps, 'Pss_Shmem'),
    };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

/** Empty for a process that has ended but is not reaped yet. */
function sizeIn(smaps: string, field: 'Pss' | 'Pss_Shmem' | 'Rss'): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(smaps)?.[1] ?? 0) * 1024;
}

/** PostgreSQL's children name themselves; a command line separates its arguments with NUL. */
function nameOf(commandLine: string): string {
  const [program = '', first = ''] = commandLine.split('\0');
  if (program.startsWith('postgres: ')) return program.trim().split(' ').slice(0, 4).join(' ');
  const base = program.split('/').at(-1) ?? '';
  return first.startsWith('-') || first === '' ? base : `${base} ${first.split('/').slice(-3).join('/')}`;
}

/** Ticks a second of the times in /proc (`getconf CLK_TCK`): 100 on every Linux that Bun runs on. */
const TICKS_PER_SECOND = 100;

/**
 * Processor time, user and system, that processes have used, in ms. Ended children count with the parent that waited for
 * them: of a server whose children come and go, give all processes that are alive.
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
