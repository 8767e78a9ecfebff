import { createCountingSemaphore } from '../../counting-semaphore.ts';

export interface SemaphoreBounds {
  /** How many transactions run at once. */
  running: number;
  /** How many more may wait. */
  waiting: number;
  /** Longest wait, in ms; a transaction that would exceed it is refused at once. */
  waitMs: number;
}

/** Number of recent transactions over which their mean time is taken, about. */
const MEAN_OF = 8;

/**
 * Bounds the transactions under way. The client's own queue for connections has no bound: a transaction in it would begin
 * after its caller has given up, and delay those behind it.
 */
export function createTransactionSemaphore(
  { running, waiting, waitMs }: SemaphoreBounds,
  refuse: () => Error,
) {
  const permits = createCountingSemaphore(running);
  let meanMs = 0;

  /** Whether a new waiter would exceed `waitMs` at the current pace: then it is refused at once. */
  const isTooLong = (): boolean =>
    permits.waiting >= waiting || ((permits.waiting + 1) * meanMs) / running > waitMs;

  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (!permits.tryAcquire() && (isTooLong() || !(await permits.acquire(waitMs)))) throw refuse();
    const begun = performance.now();
    try {
      return await work();
    } finally {
      meanMs += (performance.now() - begun - meanMs) / MEAN_OF;
      permits.release();
      // After an idle moment the old mean predicts nothing: the outage behind it may be over.
      if (permits.isIdle) meanMs = 0;
    }
  };
}
