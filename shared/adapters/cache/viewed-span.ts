/** How soon counters that have grown are told as changed. */
export interface ViewedSpan {
  /** An item that is viewed is noted once in so many ms by each process. */
  spanMs: number;
  /**
   * Views of a span are told so many ms after its end: those counted in it have reached the cache by then, and the
   * clocks of the processes may differ by that much.
   */
  graceMs: number;
}

/** With a pass every three seconds a view is saved ten seconds after it at the latest. */
export const VIEWED_SPAN: ViewedSpan = { spanMs: 5_000, graceMs: 2_000 };

/** How long the counter of an item is kept whose record the cache does not know, in ms; it is saved meanwhile. */
export const UNKNOWN_ITEM_VIEWS_MS = 30 * 86_400_000;

/**
 * Notes and deferrals lie less far ahead, in ms. One that lies further was made before the clock was set back, and would
 * be due only when the clock is there again.
 */
export const AHEAD_MS = 120_000;

/** When the span ends in which a moment lies (both ms since the epoch). */
export const spanEndOf = (now: number, spanMs: number): number => (Math.floor(now / spanMs) + 1) * spanMs;
