import type { Batch } from '../sweep/batch.ts';
import type { Round } from '../sweep/sweeper.ts';
import type { Query } from './sql.ts';
import { lockWatermark } from './watermarks.ts';

/** Longer than any transaction may run: a change is committed at most this long after its own timestamp. */
export const COMMIT_LAG_MS = 60_000;

/** How recent a pass of another process has to be, in intervals, so that one of this process is not needed. */
const RECENT = 1 / 2;

/**
 * Takes a repair pass on, until the transaction ends. All processes repair the same, so they need not all do it: a pass
 * that another is at, or was at lately, is enough, unless this process knows of something to repair. Then that pass may
 * have begun before it, and this one is tried again.
 * @returns where the pass before began (ms since the epoch), or what it comes to when there is nothing to do
 */
export async function acquireRepairLease(
  sql: Query,
  name: string,
  { now, urgent, intervalMs }: Round & { now: number },
): Promise<number | Batch> {
  const reached = await lockWatermark(sql, name);
  if (reached === null) return { done: 0, more: false, retry: urgent };
  // One that lies ahead comes from a clock that goes ahead, and says nothing about what has happened since.
  const isRecent = reached <= now && now - reached < RECENT * intervalMs;
  return isRecent && !urgent ? { done: 0, more: false } : reached;
}
