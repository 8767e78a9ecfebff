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
  const queue = new Set<() => void>();
  let underWay = 0;
  let meanMs = 0;

  /** Whether a new waiter would exceed `waitMs` at the current pace: then it is refused at once. */
  const isTooLong = (): boolean => queue.size >= waiting || ((queue.size + 1) * meanMs) / running > waitMs;

  const permit = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const admit = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.delete(admit);
        reject(refuse());
      }, waitMs);
      queue.add(admit);
    });

  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (underWay < running) underWay += 1;
    else {
      if (isTooLong()) throw refuse();
      await permit();
    }
    const begun = performance.now();
    try {
      return await work();
    } finally {
      meanMs += (performance.now() - begun - meanMs) / MEAN_OF;
      // The permit passes to the next in the queue, or becomes free.
      const [next] = queue;
      if (next === undefined) {
        underWay -= 1;
        // After an idle moment the old mean predicts nothing: the outage behind it may be over.
        if (underWay === 0) meanMs = 0;
      } else {
        queue.delete(next);
        next();
      }
    }
  };
}
