import type { PerchError } from '../../../shared/perch-error.ts';
import { createFairBudget, type FairBudget } from './fair-budget.ts';

/** Room for bodies held in memory, shared by all requests of a process, in bytes. */
export interface MemoryBudget {
  /** Budget for bodies of at most `SMALL_BODY_BYTES`, which never wait for larger ones. */
  small: FairBudget;
  /** Budget for larger ones, as they arrive. */
  large: FairBudget;
}

/** A body announced as no larger than this is small. */
export const SMALL_BODY_BYTES = 65_536;

const SMALL_ROOM_BYTES = 64 * 1_048_576;
const LARGE_ROOM_BYTES = 256 * 1_048_576;

/** The most that one body takes: a page as JSON whose length is not announced, which is in memory twice. */
const MAX_BYTES = 64 * 1_048_576;

/** @param refuse makes the error for a caller that found no room in time */
export const createMemoryBudget = (refuse: () => PerchError): MemoryBudget => ({
  small: createFairBudget({ total: SMALL_ROOM_BYTES, refuse }),
  large: createFairBudget({ total: LARGE_ROOM_BYTES, reserve: MAX_BYTES, refuse }),
});

/** Most bytes of bodies and unpacked files that wait for the collector. */
const GARBAGE_BYTES = 16_777_216;

let garbage = 0;

/**
 * Asks for a garbage collection after every `GARBAGE_BYTES` of bodies. The collector starts when its own heap grows, and
 * bodies lie outside of it: at ten bodies of 20 MB a second, 400 MB of dead ones piled up. The collection runs
 * concurrently (`Bun.gc(false)`): a synchronous one would stop all requests for 20 ms.
 */
export function collectGarbageAfter(bytes: number): void {
  garbage += bytes;
  if (garbage < GARBAGE_BYTES) return;
  garbage = 0;
  Bun.gc(false);
}

/**
 * Frees bytes that nobody uses any more at once, by detaching their buffer: the array is empty afterwards. A view of a part of a buffer is
 * left to the collector. `collectGarbageAfter` alone is not enough for buffers of some MB: it asks for collections of the young
 * generation, which promote a buffer that is in use at that moment, and only a full collection, some 100 MB later, frees it.
 */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  const isWhole = byteLength > 0 && byteLength === buffer.byteLength;
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0);
  else collectGarbageAfter(byteLength);
}
