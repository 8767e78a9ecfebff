import type { CacheMark, CachePart } from '../ports/cache.ts';
import type { Batch } from '../sweep/batch.ts';
import type { Round } from '../sweep/sweeper.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import { acquireRepairLease, COMMIT_LAG_MS } from './repair-lease.ts';
import type { Query } from './sql.ts';
import { liftVersions, readDatabaseStart } from './versions.ts';
import { advanceWatermark } from './watermarks.ts';

/** Removals are remembered in the database for so long before a pass, in ms, to be told to a cache that has gone back. */
export const REMEMBERED_MS = 600_000;

export interface RepairPass {
  part: CachePart;
  /** The name of its watermark in the database. */
  watermark: string;
  /** Tells the cache of all changes since a moment, as of `now` (both ms since the epoch). Returns how many records. */
  tell(tx: Query, since: number, now: number): Promise<number>;
  /** Runs in the same transaction after the cache is told; `reached`: where the previous pass began. */
  afterwards?(tx: Query, reached: number): Promise<void>;
}

/**
 * Tells the cache again of every change since its last recorded pass: changes that it missed while it was away or has
 * lost since, and those whose writer died between commit and announcement. Versions make the rest a no-op. Records that
 * the database can no longer vouch for are forgotten.
 */
export async function runRepairPass(
  { sql, cache, clock }: Pick<ItemDependencies, 'sql' | 'cache' | 'clock'>,
  { part, watermark, tell, afterwards }: RepairPass,
  round: Round,
): Promise<Batch> {
  const now = clock.now();
  // Read before the turn is taken: then the watermark in the database is as late as the mark, or the database went back.
  const { mark, isCurrent, isSettled, run } = await cache.stateOf(part);
  const outcome = await sql.begin(async (tx) => {
    const urgent = round.urgent || !isCurrent;
    const reached = await acquireRepairLease(tx, watermark, { ...round, urgent, now });
    if (typeof reached !== 'number') return reached;
    const databaseStart = await readDatabaseStart(tx);
    const stale = findStale(mark, { toldUntil: reached, databaseStart });
    if (stale.databaseWentBack) await liftVersions(tx);
    // A transaction in which nothing happens for long is ended.
    if (stale.since !== undefined) await cache.forget(part, stale.since, () => tx`select 1`);
    const since = Math.min(mark?.toldUntil ?? reached, reached, now) - COMMIT_LAG_MS;
    const done = await tell(tx, since, now);
    await advanceWatermark(tx, watermark, now);
    await afterwards?.(tx, Math.min(reached, now));
    return { done, databaseStart };
  });
  if (!('databaseStart' in outcome)) return outcome;
  // After the commit, and in the cache behind all that was told: so it never says more than is true.
  const { done, databaseStart } = outcome;
  if (!isSettled) return { done, more: false, retry: true };
  const isTold = await cache.setCurrent(part, { toldUntil: now, databaseStart }, run);
  return { done, more: false, retry: !isTold };
}

interface Stale {
  /** Records put into the cache since then (ms since the epoch) are forgotten; `null`: all, `undefined`: none. */
  since: number | null | undefined;
  databaseWentBack: boolean;
}

/** Compares what the cache says of its last pass with what the database says of it. */
export function findStale(mark: CacheMark | null, { toldUntil: reached, databaseStart }: CacheMark): Stale {
  if (mark === null) return { since: null, databaseWentBack: false };
  const databaseWentBack = mark.toldUntil > reached;
  if (databaseWentBack || mark.toldUntil < reached - REMEMBERED_MS) return { since: null, databaseWentBack };
  // A restarted database may have lost changes that the cache was told of since that pass.
  const isAnotherStart = mark.databaseStart !== databaseStart;
  return { since: isAnotherStart ? mark.toldUntil - COMMIT_LAG_MS : undefined, databaseWentBack };
}
