import type { Query } from '../../../shared/items/sql.ts';
import { dateOf } from '../utc-days.ts';

/** A day's partition of the log. */
export const partitionOf = (day: number): string => `access_log_${dateOf(day).replaceAll('-', '')}`;

/** The day of a partition, by its first ms. */
export const dayOfPartition = (name: string): number =>
  Date.parse(name.replace(/^.*_(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3'));

/** Keeps others from making and changing days until the transaction ends. */
export const lockDays = (tx: Query) =>
  tx`select pg_advisory_xact_lock(hashtextextended('access log days', 2))`;

/** Longest that a drop waits for readers of the log, in ms: while it waits, nobody else gets in. */
const LOCK_WAIT_MS = 1_000;

/** Lets a transaction that drops something fail soon when somebody reads the log. */
export const limitLockWait = (tx: Query) =>
  tx`select set_config('lock_timeout', ${`${LOCK_WAIT_MS}ms`}, true)`;
