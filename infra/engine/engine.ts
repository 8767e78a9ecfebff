import { homedir } from 'node:os';
import { join } from 'node:path';
import { ownEnvironment } from '../environment.ts';

/** The output of a command. */
export interface Ran {
  output: string;
  errors: string;
}

/** A Docker engine with Compose on this machine. */
export interface Engine {
  /** A name for people. */
  name: string;
  /** Runs `docker` with these arguments. @throws Error with what it wrote, when it fails or takes longer than `limitMs` */
  docker(args: string[], limitMs?: number): Promise<Ran>;
  /** A file of one of its processes, by the id that `docker inspect` tells. */
  readProcessFile(pid: number, file: string): Promise<string>;
  /** Cuts the power and brings it back: everything ends without warning. `null` for an engine that is not ours to kill. */
  cutPower: (() => Promise<void>) | null;
  /** Gives it back. */
  stop(): Promise<void>;
}

const LIMIT_MS = 120_000;

/** Runs a command to its end. @throws Error with what it wrote, when it fails or takes longer than `limitMs` */
export async function runToEnd(command: string[], limitMs = LIMIT_MS): Promise<Ran> {
  const child = Bun.spawn(command, {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) === 0) return { output, errors };
  const tail = `${output}\n${errors}`.trim().split('\n').slice(-40).join('\n');
  throw new Error(
    `${command.slice(0, 12).join(' ')} … ended with ${child.exitCode ?? child.signalCode}:\n${tail}`,
  );
}

/** Where it is kept what takes minutes to make: about 2 GB, which may be removed at any time. */
export const cacheFolder = (): string =>
  join(ownEnvironment().XDG_CACHE_HOME || join(homedir(), '.cache'), 'perch', 'engine');
