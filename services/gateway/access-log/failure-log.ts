import type { PerchError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';

/** Failures logged one by one in a period, and its length in ms: while a server is unavailable, every request fails. */
const MOST_TOLD = 100;
const PERIOD_MS = 10_000;

export interface FailureLog {
  /** Logs a failure of our own with its stack, or beyond the bound only counts it. */
  report(error: PerchError, requestId: string): void;
}

export function createFailureLog(log: Logger): FailureLog {
  let told = 0;
  let untold = 0;
  const endPeriod = (): void => {
    if (untold > 0) log.error({ failures: untold }, 'more requests failed');
    told = 0;
    untold = 0;
  };
  return {
    report(error, requestId) {
      if (told === 0 && untold === 0) setTimeout(endPeriod, PERIOD_MS).unref();
      if (told < MOST_TOLD) {
        told += 1;
        log.error({ error, requestId }, 'request failed');
      } else untold += 1;
    },
  };
}
