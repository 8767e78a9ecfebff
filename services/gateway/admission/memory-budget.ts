import type { PerchError } from '../../../shared/errors.ts';
import { createFairBudget, type FairBudget } from './fair-budget.ts';

/** Room for bodies held in memory, shared by all requests of a process, in bytes. */
export interface MemoryBudget {
  /** For bodies of at most `SMALL_BODY_BYTES`, which never wait for larger ones. */
  small: FairBudget;
  /** For larger ones, as they arrive. */
  large: FairBudget;
}

/** A body announced as no larger than this is small. */
export const SMALL_BODY_BYTES = 65_536;

const SMALL_ROOM_BYTES = 64 * 1_048_576;
const LARGE_ROOM_BYTES = 256 * 1_048_576;

/** The most that one body takes: a page as JSON whose length is not announced, which is in memory twice. */
const LARGEST_BYTES = 64 * 1_048_576;

/** @param refuse makes the error for a caller that found no room in time */
export const createMemoryBudget = (refuse: () => PerchError): MemoryBudget => ({
  small: createFairBudget({ total: SMALL_ROOM_BYTES, refuse }),
  large: createFairBudget({ total: LARGE_ROOM_BYTES, reserve: LARGEST_BYTES, refuse }),
});
