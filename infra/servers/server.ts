import { closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { putAsideIfLarge } from '../../shared/large-log.ts';
import { ownEnvironment } from '../environment.ts';
import { canListen } from './port.ts';
import { isAlive, processTree, signalAll, suspend, waitUntilGone } from './process-tree.ts';

/** A real server as a child process. Its port and its data stay the same over stop, kill and start. */
export type Server = {
  name: string;
  /** Its standard output and error go here. */
  logFile: string;
  /** Starts it again; throws when it already runs. Resolves when it answers. */
  start(): Promise<void>;
  /** Asks it to end, and kills it when it has not in time. Does nothing when it does not run. */
  stop(): Promise<void>;
  /** SIGKILL to all of its processes. Resolves when they are gone. Does nothing when it does not run. */
  kill(): Promise<void>;
  /** SIGSTOP to all of its processes: connections stay open, nothing answers. */
  pause(): void;
  resume(): void;
  /** The ids of all of its processes that are alive. */
  processes(): number[];
  /** Whether it is there at all: what `processes` looks through the whole process table for. */
  isRunning(): boolean;
};

type ServerCommand = {
  name: string;
  command: string[];
  /** The loopback port it will listen on. */
  port: number;
  /** Its standard output and error are appended here. A start puts a large one aside, as `<logFile>.1`. */
  logFile: string;
  workingDirectory: string;
  /** Variables beside those of this process; `undefined` takes one away. */
  env?: Record<string, string | undefined>;
  /** Runs before every start, the first one included. */
  prepare?: () => Promise<void>;
  isReady: (pid: number) => Promise<boolean>;
  /** How long a start may take, in ms: a minute and a half unless said otherwise. */
  readyWithinMs?: number;
  stopSignal?: NodeJS.Signals;
  /** How long it may take to end once it is asked to, in ms: ten seconds unless said otherwise. */
  stopWithinMs?: number;
  /** Sent by the kernel when the process that started the server is gone, however it went. */
  parentDeathSignal?: 'KILL' | 'QUIT';
  /** A system user to run as; only root can ask for one. */
  user?: string;
};

/** Several processes may start at once on a busy machine. */
const READY_LIMIT_MS = 90_000;
const STOP_LIMIT_MS = 10_000;
const KILL_LIMIT_MS = 10_000;
const PORT_LIMIT_MS = 3000;
/** The most of a log that is shown when its server does not start: the whole may be larger than the memory. */
const TAIL_BYTES = 65_536;
/** A larger log is put aside at the next start, in place of the one that was before. */
const LOG_MAX_BYTES = 64 * 1_048_576;
/** How often a port is looked at until it is free, and a server asked until it is ready, in ms. Asking costs the server time. */
const PORT_POLL_MS = 10;
const READY_POLL_MS = 40;

/** The flags that make `setpriv` drop to a user. */
export function asUser(user: string | undefined): string[] {
  return user === undefined ? [] : ['--reuid', user, '--regid', user, '--init-groups'];
}

function logTail(file: string): string {
  const log = openSync(file, 'r');
  try {
    const { size } = fstatSync(log);
    const end = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const length = readSync(log, end, 0, end.length, size - end.length);
    return end.toString('utf8', 0, length).trimEnd().split('\n').slice(-30).join('\n');
  } finally {
    closeSync(log);
  }
}

export function createChildServer(options: ServerCommand): Server {
  const { name, logFile } = options;
  let child: Bun.Subprocess | null = null;

  function running(): Bun.Subprocess | null {
    // Once Bun has reaped the child its id may be a stranger's.
    if (child === null || child.exitCode !== null || child.signalCode !== null) return null;
    return isAlive(child.pid) ? child : null;
  }

  function processes(): number[] {
    const root = running();
    return root ? processTree(root.pid) : [];
  }

  function spawn(): Bun.Subprocess {
    mkdirSync(dirname(logFile), { recursive: true });
    const log = openSync(logFile, 'a');
    try {
      const deathSignal = ['--pdeathsig', options.parentDeathSignal ?? 'KILL'];
      const spawned = Bun.spawn(
        ['setpriv', ...asUser(options.user), ...deathSignal, '--', ...options.command],
        {
          cwd: options.workingDirectory,
          env: { ...ownEnvironment(), ...options.env },
          stdin: 'ignore',
          stdout: log,
          stderr: log,
          // A session of its own keeps Ctrl-C in the terminal for the starting process, which stops us in order.
          detached: true,
        },
      );
      spawned.unref();
      return spawned;
    } finally {
      closeSync(log);
    }
  }

  /** Another server on the port would answer in this one's place. One that was just killed gets time to go. */
  async function requireFreePort(): Promise<void> {
    const deadline = Date.now() + PORT_LIMIT_MS;
    while (!(await canListen(options.port))) {
      if (Date.now() > deadline) throw new Error(`${name}: port ${options.port} is in use`);
      await Bun.sleep(PORT_POLL_MS);
    }
  }

  async function start(): Promise<void> {
    if (running()) throw new Error(`${name} already runs`);
    await options.prepare?.();
    await requireFreePort();
    await putAsideIfLarge(logFile, LOG_MAX_BYTES);
    const limitMs = options.readyWithinMs ?? READY_LIMIT_MS;
    const deadline = Date.now() + limitMs;
    const spawned = spawn();
    child = spawned;
    while (!(await options.isReady(spawned.pid)) || !isAlive(spawned.pid)) {
      if (!isAlive(spawned.pid)) {
        throw new Error(
          `${name} ended while it started. Its log (${logFile}) ends with:\n${logTail(logFile)}`,
        );
      }
      if (Date.now() > deadline) {
        await kill();
        throw new Error(
          `${name} was not ready after ${limitMs} ms. ${logFile} ends with:\n${logTail(logFile)}`,
        );
      }
      await Bun.sleep(READY_POLL_MS);
    }
  }

  async function killAll(pids: number[]): Promise<void> {
    signalAll(pids, 'SIGKILL');
    const left = await waitUntilGone(pids, KILL_LIMIT_MS);
    if (left.length > 0) throw new Error(`${name}: processes ${left.join(', ')} outlived SIGKILL`);
  }

  async function kill(): Promise<void> {
    const root = running();
    if (!root) return;
    // Waiting for its end keeps us alive, as its mere running must not.
    root.ref();
    // Stopped first, it cannot start another process between our look at the tree and the kill.
    await suspend(root.pid, KILL_LIMIT_MS);
    await killAll(processTree(root.pid));
    await root.exited;
  }

  async function stop(): Promise<void> {
    const root = running();
    if (!root) return;
    root.ref();
    const tree = processTree(root.pid);
    signalAll([root.pid], options.stopSignal ?? 'SIGTERM');
    signalAll(tree, 'SIGCONT');
    await waitUntilGone([root.pid], options.stopWithinMs ?? STOP_LIMIT_MS);
    await kill();
    await killAll(await waitUntilGone(tree, 1000));
    await root.exited;
  }

  return {
    name,
    logFile,
    start,
    stop,
    kill,
    pause: () => signalAll(processes(), 'SIGSTOP'),
    resume: () => signalAll(processes(), 'SIGCONT'),
    processes,
    isRunning: () => running() !== null,
  };
}

/** Servers that are one service together. */
export interface ServerGroup {
  /** By it clients find whichever of them serves. */
  url: string;
  /** Each of them, in their order. */
  members: Server[];
  stop(): Promise<void>;
}

/** Starts servers at once; when one does not start, the others are stopped. */
export async function startGroup<Member extends Server>(
  starts: Array<() => Promise<Member>>,
): Promise<{ members: Member[]; stop(): Promise<void> }> {
  const outcomes = await Promise.allSettled(starts.map((start) => start()));
  const members = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const stop = async (): Promise<void> => void (await Promise.all(members.map((member) => member.stop())));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return { members, stop };
}
