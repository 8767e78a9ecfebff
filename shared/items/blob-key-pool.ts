import type { Clock } from '../clock.ts';
import { createSingleFlight } from '../single-flight.ts';

export interface Reservation {
  keys: string[];
  /** Milliseconds from the request during which a key may be taken. */
  validMs: number;
}

export interface BlobKeyPool {
  /** A key that no one else has and that the sweeper leaves alone long enough to finish a write. */
  take(): Promise<string>;
  /** Hands out no key that was reserved before now: the database may have gone back, and know none of them. */
  discard(): void;
}

/** Keys fetched at once: one reservation is committed for so many uploads. */
const BATCH = 64;

/**
 * Hands out reserved blob keys and reserves more before they run out, so that an upload does not wait for its
 * reservation. Keys that grow too old are left to the sweeper.
 */
export function createBlobKeyPool(
  reserve: (count: number) => Promise<Reservation>,
  clock: Clock,
): BlobKeyPool {
  let keys: string[] = [];
  let goodUntil = 0;
  const share = createSingleFlight<void>();
  let discards = 0;

  const refill = async (): Promise<void> => {
    await share('', async () => {
      const asked = clock.now();
      const discardsBefore = discards;
      const reservation = await reserve(BATCH);
      if (discards !== discardsBefore) return;
      if (goodUntil <= asked) keys = [];
      // Older keys are taken first; together they are good as long as the oldest are.
      goodUntil = keys.length === 0 ? asked + reservation.validMs : goodUntil;
      keys = [...reservation.keys, ...keys];
    });
  };

  return {
    async take() {
      for (;;) {
        const key = goodUntil > clock.now() ? keys.pop() : undefined;
        if (key === undefined) {
          await refill();
          continue;
        }
        // An early refill that fails is tried again when the pool is empty, and reported then.
        if (keys.length < BATCH / 4) refill().catch(() => undefined);
        return key;
      }
    },
    discard() {
      discards += 1;
      keys = [];
    },
  };
}
