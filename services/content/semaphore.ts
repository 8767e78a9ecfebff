import { createCountingSemaphore } from '../../shared/counting-semaphore.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { errors, type PerchError } from '../../shared/errors.ts';

export interface SemaphoreLimits {
  /** How many run at once. */
  running: number;
  /** How many more may wait. */
  waiting: number;
  /** Makes the error for a call that finds the queue full. */
  refuse(): PerchError;
}

/**
 * A counting semaphore for costly work, so that it leaves the database to others. A call that finds the queue full is
 * refused, and work whose permit comes after its deadline (on the clock of `steadyNow`, in ms) is not started.
 * @throws UNAVAILABLE, TIMEOUT
 */
export function createSemaphore(what: string, limits: SemaphoreLimits) {
  const permits = createCountingSemaphore(limits.running);

  return async <T>(deadline: number, work: () => Promise<T>): Promise<T> => {
    if (!permits.tryAcquire()) {
      if (permits.waiting >= limits.waiting) throw limits.refuse();
      await permits.acquire();
    }
    try {
      if (deadline <= steadyNow()) throw errors.timeout(what);
      return await work();
    } finally {
      permits.release();
    }
  };
}
