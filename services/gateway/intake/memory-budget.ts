import type { PerchError } from '../../../shared/errors.ts';

/** Room for bodies held in memory, shared by all requests of a process. */
export interface MemoryBudget {
  /**
   * Waits its turn for room. Returns how to give it back.
   * @param client whose share it counts against: a client's address
   * @throws UNAVAILABLE when none comes free in time.
   */
  acquire(bytes: number, client: string): Promise<() => void>;
}

export interface MemoryBudgetOptions {
  /** Makes the error for who found no room in time. */
  refuse(): PerchError;
  /** Longest wait for room. */
  waitMs?: number;
}

/** What one client may hold at most, as a part of the whole; a body that is larger it may hold alone. */
const CLIENT_SHARE = 1 / 4;

interface Waiting {
  bytes: number;
  client: string;
  admit(): void;
}

/**
 * First come, first served: a large body is not overtaken for ever by small ones. Only who waits for room in the share
 * of its own client is overtaken, by other clients.
 */
export function createMemoryBudget(
  totalBytes: number,
  { refuse, waitMs = 5_000 }: MemoryBudgetOptions,
): MemoryBudget {
  const share = totalBytes * CLIENT_SHARE;
  const held = new Map<string, number>();
  const queue = new Set<Waiting>();
  let free = totalBytes;

  const hold = (client: string, bytes: number): void => {
    free -= bytes;
    const now = (held.get(client) ?? 0) + bytes;
    if (now === 0) held.delete(client);
    else held.set(client, now);
  };
  const fitsShare = ({ client, bytes }: Pick<Waiting, 'client' | 'bytes'>): boolean => {
    const has = held.get(client) ?? 0;
    return has === 0 || has + bytes <= share;
  };
  const admitWaiting = (): void => {
    const passedOver = new Set<string>();
    for (const next of queue) {
      if (passedOver.has(next.client) || !fitsShare(next)) {
        passedOver.add(next.client);
        continue;
      }
      if (next.bytes > free) return;
      queue.delete(next);
      hold(next.client, next.bytes);
      next.admit();
    }
  };
  const releaseOnce = (client: string, bytes: number): (() => void) => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      hold(client, -bytes);
      admitWaiting();
    };
  };

  return {
    async acquire(asked, client) {
      // What is no number would be none for ever after.
      if (!(asked >= 0)) throw new RangeError(`There is no room of ${asked} bytes.`);
      const bytes = Math.min(asked, totalBytes);
      if (queue.size === 0 && bytes <= free && fitsShare({ client, bytes })) {
        hold(client, bytes);
        return releaseOnce(client, bytes);
      }
      await new Promise<void>((resolve, reject) => {
        const waiting: Waiting = {
          bytes,
          client,
          admit() {
            clearTimeout(timer);
            resolve();
          },
        };
        const timer = setTimeout(() => {
          queue.delete(waiting);
          admitWaiting();
          reject(refuse());
        }, waitMs);
        queue.add(waiting);
        admitWaiting();
      });
      return releaseOnce(client, bytes);
    },
  };
}
