/** Waits between attempts, in ms. */
export interface Backoff {
  firstMs: number;
  lastMs: number;
}

/**
 * Exponential backoff: how long to wait before the next attempt, in ms: `firstMs` after one failure, twice as long with
 * each further one, up to `lastMs`.
 * @param failures attempts in a row that have failed, 1 or more
 */
export const backoffMs = (failures: number, { firstMs, lastMs }: Backoff): number =>
  Math.min(firstMs * 2 ** (failures - 1), lastMs);
