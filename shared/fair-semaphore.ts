import { steadyNow } from './deadline.ts';
import { createFairQueue, type Queued } from './fair-queue.ts';

/** Permits at which clients take turns by the time that they hold them. */
export interface FairSemaphore {
  /**
   * Waits for a permit.
   * @returns gives it back; `null`: too many wait, of this client or in all, or there was none for so many ms
   */
  acquire(client: string, limitMs: number): Promise<(() => void) | null>;
}

/** @param mostWaiting who waits beyond so many is turned away; a client may wait half as often */
export function createFairSemaphore(permits: number, mostWaiting: number): FairSemaphore {
  const queue = createFairQueue<Queued & { admit(): void }>({ count: mostWaiting, size: mostWaiting });
  let free = permits;

  function admitNext(): void {
    if (free === 0) return;
    const next = queue.take();
    if (next === undefined) return;
    free -= 1;
    next.admit();
  }

  return {
    acquire: (client, limitMs) =>
      new Promise((resolve) => {
        const asking = {
          ...{ client, size: 1 },
          admit() {
            clearTimeout(timer);
            const since = steadyNow();
            resolve(() => {
              free += 1;
              queue.ended(asking, steadyNow() - since);
              admitNext();
            });
          },
        };
        const timer = setTimeout(() => {
          queue.leave(asking);
          resolve(null);
        }, limitMs);
        if (queue.add(asking)) return admitNext();
        clearTimeout(timer);
        resolve(null);
      }),
  };
}
