import type { Logger } from './logger.ts';
import { messageOf } from './message-of.ts';

/** Runs a process's start; a start that fails says why in plain words on standard error and ends with 1. */
export async function runProcess(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    const message = messageOf(error);
    const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
    process.stderr.write(`${message}${cause}\n`);
    process.exit(1);
  }
}

/** One step of a stop: a name for the log and what to do. */
interface StopStep {
  name: string;
  stop(): Promise<void> | void;
}

/** Longest time a clean stop may take before the process ends anyway, in ms: no request takes longer. */
const STOP_LIMIT_MS = 15_000;

/**
 * Runs the steps in order on SIGTERM, SIGINT or SIGHUP, then exits 0: stop taking work, finish what is under way, then close
 * what the work needed. A step that fails is logged and does not keep the next from running. An error that nobody
 * caught ends the process with 1, as it would without us, but not before the gathered log lines are out. `drainMs` is
 * what the steps take on purpose, besides.
 */
export function stopOnSignal(
  log: Logger,
  flushLogs: () => void,
  steps: () => StopStep[],
  { drainMs = 0 }: { drainMs?: number } = {},
): void {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    const limit = setTimeout(() => {
      log.error('the stop took too long; ending anyway');
      flushLogs();
      process.exit(1);
    }, STOP_LIMIT_MS + drainMs);
    for (const step of steps()) {
      try {
        await step.stop();
      } catch (error) {
        log.error({ error, step: step.name }, 'a step of the stop failed');
      }
    }
    clearTimeout(limit);
    log.info('stopped');
    flushLogs();
    process.exit(0);
  };
  const crash = (error: unknown): void => {
    log.fatal({ error }, 'nobody caught this error; ending');
    flushLogs();
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(signal));
}
