import type { CacheMark, CachePart } from '../ports/cache.ts';
import type { Batch } from '../sweep/batch.ts';
import type { Round } from '../sweep/sweeper.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import type { Query } from './sql.ts';
import { advanceWatermark, lockWatermark } from './watermarks.ts';

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
  // Read before the watermark: a watermark that is older than this mark then proves that the database has gone back.
  const { mark, isCurrent, isSettled, run } = await cache.stateOf(part);
  const outcome = await sql.begin(async (tx) => {
    const urgent = round.urgent || !isCurrent;
    const reached = await acquireRepairLease(tx, watermark, { ...round, urgent, now });
    if (typeof reached !== 'number') return reached;
    const databaseStart = await readDatabaseStart(tx);
    const stale = findStale(mark, { toldUntil: reached, databaseStart });
    if (stale.databaseWentBack) await liftVersions(tx);
    // The database ends a transaction that is idle for long: a statement after each batch keeps this one alive.
    if (stale.since !== undefined) await cache.forget(part, stale.since, () => tx`select 1`);
    const since = Math.min(mark?.toldUntil ?? reached, reached, now) - COMMIT_LAG_MS;
    const done = await tell(tx, since, now);
    await advanceWatermark(tx, watermark, now);
    await afterwards?.(tx, Math.min(reached, now));
    return { done, databaseStart };
  });
  if (!('databaseStart' in outcome)) return outcome;
  // The mark is set after the commit, and after all records: so it never claims more than the cache was told.
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

/** Longer than any transaction may run: a change is committed at most this long after its own timestamp. */
export const COMMIT_LAG_MS = 60_000;

/** How recent a pass of another process has to be, in intervals, so that one of this process is not needed. */
const RECENT = 1 / 2;

/**
 * Claims the repair pass for this process, until the transaction ends. One process repairs for all: while another runs the
 * pass, or when one ran lately, there is nothing to do. With `urgent`, as this process knows of something to repair, a
 * recent pass is not enough, and one that another process runs may have begun too early: this process then tries again.
 * @returns where the previous pass began (ms since the epoch), or the result when there is nothing to do
 */
export async function acquireRepairLease(
  sql: Query,
  name: string,
  { now, urgent, intervalMs }: Round & { now: number },
): Promise<number | Batch> {
  const reached = await lockWatermark(sql, name);
  if (reached === null) return { done: 0, more: false, retry: urgent };
  // A moment in the future was written by a process whose clock is ahead: it does not tell how recent the pass is.
  const isRecent = reached <= now && now - reached < RECENT * intervalMs;
  return isRecent && !urgent ? { done: 0, more: false } : reached;
}

/** Names the start of the database server, as text that no other start has. */
async function readDatabaseStart(sql: Query): Promise<string> {
  const [row] = await sql<Array<{ start: string }>>`
    select extract(epoch from pg_postmaster_start_time())::text as start`;
  if (row === undefined) throw new Error('the database does not say when it was started');
  return row.start;
}

/**
 * Makes the versions of changes go on above all that were ever given out: the database has gone back. After each start the
 * server does so by itself; this is for a database that went back without a start, as by a dump loaded into it.
 */
async function liftVersions(sql: Query): Promise<void> {
  await sql`select lift_item_version()`;
}
