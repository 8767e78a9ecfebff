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
  const queue: Array<() => void> = [];
  let running = 0;

  return async <T>(deadline: number, work: () => Promise<T>): Promise<T> => {
    if (running < limits.running) running += 1;
    else {
      if (queue.length >= limits.waiting) throw limits.refuse();
      await new Promise<void>((resolve) => queue.push(resolve));
    }
    try {
      if (deadline <= steadyNow()) throw errors.timeout(what);
      return await work();
    } finally {
      // The permit passes to the next in the queue, or becomes free.
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
