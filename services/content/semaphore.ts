import { steadyNow } from '../../shared/deadline.ts';
import { errors, type PerchError } from '../../shared/errors.ts';

export interface SemaphoreLimits {
  /** So many run at once. */
  running: number;
  /** So many more wait for their turn. */
  waiting: number;
  /** Makes the error for who comes when the queue is full. */
  refuse(): PerchError;
}

/**
 * Lets only so much of a costly work run at once, so that it leaves the database to others. Whoever comes when the queue
 * is full is sent away, and work whose turn comes after its deadline (ms since the epoch) is not started.
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
      // The turn goes to the next in the queue; without one it is free.
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
