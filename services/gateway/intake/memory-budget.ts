import { errors } from '../../../shared/errors.ts';

/** Room for bodies held in memory, shared by all requests of a process. */
export interface MemoryBudget {
  /**
   * Waits its turn for room. Returns how to give it back.
   * @throws UNAVAILABLE when none comes free in time.
   */
  acquire(bytes: number): Promise<() => void>;
}

interface Waiting {
  bytes: number;
  admit(): void;
}

/** First come, first served: a large body is not overtaken for ever by small ones. */
export function createMemoryBudget(totalBytes: number, waitMs = 5_000): MemoryBudget {
  let free = totalBytes;
  const queue: Waiting[] = [];

  const admitWaiting = (): void => {
    for (let next = queue[0]; next !== undefined && next.bytes <= free; next = queue[0]) {
      queue.shift();
      free -= next.bytes;
      next.admit();
    }
  };
  const releaseOnce = (bytes: number): (() => void) => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      free += bytes;
      admitWaiting();
    };
  };

  return {
    async acquire(asked) {
      const bytes = Math.min(asked, totalBytes);
      if (queue.length === 0 && bytes <= free) {
        free -= bytes;
        return releaseOnce(bytes);
      }
      await new Promise<void>((resolve, reject) => {
        const waiting: Waiting = {
          bytes,
          admit() {
            clearTimeout(timer);
            resolve();
          },
        };
        const timer = setTimeout(() => {
          queue.splice(queue.indexOf(waiting), 1);
          admitWaiting();
          reject(errors.unavailable('too many uploads at once'));
        }, waitMs);
        queue.push(waiting);
      });
      return releaseOnce(bytes);
    },
  };
}
