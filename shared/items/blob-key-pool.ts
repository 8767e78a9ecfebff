import type { Clock } from '../clock.ts';
import { steadyNow } from '../deadline.ts';
import { errors } from '../errors.ts';
import { createForwardClock } from '../forward-clock.ts';
import { createSingleFlight } from '../single-flight.ts';

export interface Reservation {
  keys: string[];
  /** Milliseconds from the request during which a key may be taken. */
  validMs: number;
}

/** A key that no one else has and that the sweeper leaves alone long enough to finish a write. */
export interface ReservedKey {
  key: string;
  /** End of the reservation, in ms by the pool's clock; the sweeper acts on it then or later. */
  until: number;
}

export interface BlobKeyPool {
  take(): Promise<ReservedKey>;
  /** Has blobs removed later that came when their reservation was over, and that no item will have. */
  trash(keys: string[]): Promise<void>;
  /** Drops all keys that were reserved until now: the database may have gone back to an older state, which lacks them. */
  discard(): void;
  /** Tells when a reservation is over; it is never set back. */
  readonly clock: Clock;
}

/** Where keys come from, and blobs without an item go. */
export interface BlobKeySource {
  reserve(count: number): Promise<Reservation>;
  trash(keys: string[]): Promise<unknown>;
}

/** Keys fetched at once: one reservation is committed for so many uploads. */
const BATCH = 64;

/**
 * Hands out reserved blob keys and reserves more before they run out, so that an upload does not wait for its
 * reservation. Keys that grow too old are left to the sweeper.
 * @param time the pool has a clock that follows it and is never set back, to tell how long something has taken
 * @param graceMs length of a reservation (BLOB_GRACE_SECONDS)
 */
export function createBlobKeyPool(
  source: BlobKeySource,
  time: Clock,
  graceMs: number,
  steady: () => number = steadyNow,
): BlobKeyPool {
  const clock = createForwardClock(time, steady);
  let keys: string[] = [];
  /** When the oldest of the keys was asked for, and until when it may be taken. */
  let reservedAt = 0;
  let goodUntil = 0;
  const share = createSingleFlight<void>();
  let discards = 0;

  const refill = async (): Promise<void> => {
    await share('', async () => {
      const asked = clock.now();
      const discardsBefore = discards;
      const reservation = await source.reserve(BATCH);
      if (discards !== discardsBefore) return;
      const tookMs = clock.now() - asked;
      if (tookMs >= reservation.validMs) throw tooSlow(tookMs, reservation.validMs);
      if (goodUntil <= asked) keys = [];
      // Older keys are taken first; together they are good as long as the oldest are.
      if (keys.length === 0) {
        reservedAt = asked;
        goodUntil = asked + reservation.validMs;
      }
      keys = [...reservation.keys, ...keys];
    });
  };

  return {
    clock,
    async take() {
      for (;;) {
        const key = goodUntil > clock.now() ? keys.pop() : undefined;
        if (key === undefined) {
          await refill();
          continue;
        }
        // An early refill that fails is tried again when the pool is empty, and reported then.
        if (keys.length < BATCH / 4) refill().catch(() => undefined);
        return { key, until: reservedAt + graceMs };
      }
    },
    async trash(keys) {
      await source.trash(keys);
    },
    discard() {
      discards += 1;
      keys = [];
    },
  };
}

const tooSlow = (tookMs: number, validMs: number) =>
  errors.unavailable(
    'reserving room for contents takes too long',
    new Error(
      `A reservation of blob keys took ${tookMs} ms and is good for ${validMs} ms. Raise BLOB_GRACE_SECONDS, or look why the database is slow.`,
    ),
  );
