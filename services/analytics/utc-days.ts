export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The UTC hour and the UTC day that an instant lies in, by their first ms. */
export const hourOf = (at: number): number => at - (at % HOUR_MS);
export const dayOf = (at: number): number => at - (at % DAY_MS);

/** A day as `2026-11-21`. */
export const dateOf = (day: number): string => new Date(day).toISOString().slice(0, 10);

/**
 * The oldest day whose entries are kept: entries go a day at a time, when the youngest of a day is older than
 * `retentionDays` (specification 18.3).
 */
export const oldestKeptDay = (now: number, retentionDays: number): number =>
  dayOf(now - retentionDays * DAY_MS);
