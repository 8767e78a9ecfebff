import type { Logger } from './logger.ts';

/** One step of a stop: a name for the log and what to do. */
export interface StopStep {
  name: string;
  stop(): Promise<void> | void;
}

/** Longest time a clean stop may take before the process ends anyway, in ms. */
const STOP_LIMIT_MS = 15_000;

/**
 * Runs the steps in order on SIGTERM or SIGINT, then exits 0: stop taking work, finish what is under way, then close
 * what the work needed. A step that fails is logged and does not keep the next from running.
 */
export function stopOnSignal(log: Logger, flushLogs: () => void, steps: () => StopStep[]): void {
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    const limit = setTimeout(() => {
      log.error('the stop took too long; ending anyway');
      flushLogs();
      process.exit(1);
    }, STOP_LIMIT_MS);
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
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
}
