/** Permits for so many at once; whoever waits for one gets it in the order of asking. */
export interface CountingSemaphore {
  /** How many wait for a permit. */
  readonly waiting: number;
  /** Whether nobody has a permit. */
  readonly isIdle: boolean;
  /** Takes a permit if one is free. */
  tryAcquire(): boolean;
  /** Waits for a permit; `false`: there was none for so many ms. */
  acquire(limitMs?: number): Promise<boolean>;
  /** Gives a permit back: to the next who waits, if anybody does. */
  release(): void;
}

export function createCountingSemaphore(permits: number): CountingSemaphore {
  const queue = new Set<() => void>();
  let taken = 0;
  const tryAcquire = (): boolean => {
    if (taken >= permits) return false;
    taken += 1;
    return true;
  };
  return {
    get waiting() {
      return queue.size;
    },
    get isIdle() {
      return taken === 0;
    },
    tryAcquire,
    async acquire(limitMs) {
      if (tryAcquire()) return true;
      return await new Promise<boolean>((resolve) => {
        const admit = (): void => {
          clearTimeout(timer);
          resolve(true);
        };
        const giveUp = (): void => {
          queue.delete(admit);
          resolve(false);
        };
        const timer = limitMs === undefined ? undefined : setTimeout(giveUp, limitMs);
        queue.add(admit);
      });
    },
    release() {
      const [next] = queue;
      if (next === undefined) {
        taken -= 1;
        return;
      }
      queue.delete(next);
      next();
    },
  };
}
