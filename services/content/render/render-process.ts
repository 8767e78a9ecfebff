import { fileURLToPath } from 'node:url';
import { environmentOfBun } from '../../../shared/config.ts';
import type { RenderedPage, RenderInput } from './document.ts';
import type { WorkerMessage } from './render-worker.ts';

/** Time a process has to load its modules, before the clock of its first job starts. */
const BOOT_DEADLINE_MS = 10_000;

const WORKER = fileURLToPath(new URL('./render-worker.ts', import.meta.url));

type RenderOutcome =
  | { readonly page: RenderedPage }
  /** `lost`: the process is gone, and a new one has to be started. `begun`: whether it was at work at the page by then. */
  | { readonly page: null; readonly reason: string; readonly lost: boolean; readonly begun: boolean };

/** `tookMs`: the time of the job itself, without that of the process's start. */
type TimedOutcome = RenderOutcome & { readonly tookMs: number };

export interface RenderProcess {
  /** One job at a time. Never rejects. Past the deadline (ms, from the process's start of the job) the process is killed. */
  run(input: RenderInput, deadlineMs: number): Promise<TimedOutcome>;
  /** While idle it does not keep this process alive. */
  idle(): void;
  /** Ends the process, which gives its memory back, and the job in it. */
  stop(): void;
  /** Whether it has ended: nothing can be run in it any more. */
  isLost(): boolean;
}

/**
 * A process of its own, as SIGKILL alone ends a regular expression that does not end: a Worker would go on with it
 * after its end.
 */
export function startRenderProcess(): RenderProcess {
  let receive: (outcome: RenderOutcome | 'ready') => void = () => undefined;
  let ready = false;
  let lost: string | null = null;
  let isBegun = false;
  let child: Bun.Subprocess | null = null;

  const lose = (reason: string): void => {
    lost ??= reason;
    child?.kill('SIGKILL');
    receive({ page: null, reason, lost: true, begun: isBegun });
  };
  const next = (deadlineMs: number, what: string) =>
    new Promise<RenderOutcome | 'ready'>((resolve) => {
      const timer = setTimeout(() => lose(`${what} took more than ${deadlineMs} ms`), deadlineMs);
      receive = (outcome) => {
        clearTimeout(timer);
        receive = () => undefined;
        resolve(outcome);
      };
    });
  const booted = next(BOOT_DEADLINE_MS, 'start of the render process');
  child = spawn({
    receive(message) {
      if (message.kind === 'ready') receive('ready');
      else if (message.kind === 'begun') isBegun = true;
      else if (message.kind === 'page') receive({ page: message.page });
      else receive({ page: null, reason: message.reason, lost: false, begun: true });
    },
    lose,
  });

  return {
    async run(input, deadlineMs) {
      child?.ref();
      if (!ready) {
        const outcome = await booted;
        if (outcome !== 'ready') return { ...outcome, tookMs: 0 };
        ready = true;
      }
      if (lost !== null) return { page: null, reason: lost, lost: true, begun: false, tookMs: 0 };
      isBegun = false;
      const begun = performance.now();
      const answer = next(deadlineMs, 'render');
      try {
        child?.send(input);
      } catch (error) {
        lose(`the render process takes no page: ${error}`);
      }
      const outcome = await answer;
      const tookMs = performance.now() - begun;
      if (outcome === 'ready')
        return { page: null, reason: 'render process out of step', lost: true, begun: true, tookMs };
      return { ...outcome, tookMs };
    },
    idle() {
      child?.unref();
    },
    stop() {
      lose('renderer closed');
    },
    isLost: () => lost !== null,
  };
}

interface Listener {
  receive(message: WorkerMessage): void;
  lose(reason: string): void;
}

/** Null when there is no room for another process, say. */
function spawn({ receive, lose }: Listener): Bun.Subprocess | null {
  try {
    return Bun.spawn([process.execPath, '--no-env-file', WORKER], {
      env: environmentOfBun(),
      stdio: ['ignore', 'ignore', 'inherit'],
      serialization: 'advanced',
      ipc: receive,
      onExit: (_child, code, signal) => lose(`the render process ended with ${signal ?? code}`),
    });
  } catch (error) {
    lose(`the render process does not start: ${error}`);
    return null;
  }
}
