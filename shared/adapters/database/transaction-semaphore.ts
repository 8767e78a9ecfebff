import { createCountingSemaphore } from '../../counting-semaphore.ts';

export interface SemaphoreBounds {
  /** So many transactions run at once. */
  running: number;
  /** So many more may wait. */
  waiting: number;
  /** Nobody waits longer, in ms; who would have to is refused at once. */
  waitMs: number;
}

/** The mean time of a transaction is taken over about so many of the last ones. */
const MEAN_OF = 8;

/**
 * Lets transactions run in turns. The client's own queue for a connection has no bound: what waits there is begun when
 * nobody waits for it any more, and keeps what comes behind it from being done in time.
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
      // How slow it was before a rest says nothing of what comes after: an outage may be long over.
      if (permits.isIdle) meanMs = 0;
    }
  };
}
