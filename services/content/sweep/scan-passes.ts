import { isAway } from '../../../shared/scanning/examiner.ts';
import type { Scanning } from '../../../shared/scanning/scanning.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { Pass } from '../../../shared/sweep/sweeper.ts';
import type { ContentDependencies } from '../dependencies.ts';
import * as scans from '../repository/scans.ts';
import { createScanLanes } from './scan-items.ts';

/** Waiting items are looked for so often, in ms. */
export const SCAN_INTERVAL_MS = 500;

const COUNT_EVERY_MS = 10_000;

export interface ScanPasses {
  /** Passes that share no sweeper, as each may go on for long. */
  passes: Pass[][];
  /** To be called when the sweepers are to stop, before they have. */
  giveBack(): Promise<void>;
}

/** The background work of looking through content; none without a scanner. */
export function scanPasses(deps: ContentDependencies, scanning: Scanning | null): ScanPasses {
  if (scanning === null) return { passes: [], giveBack: async () => undefined };
  const { lanes, giveBack } = createScanLanes(deps, scanning);
  const upkeep: Pass[] = [
    ['scan-upkeep', createScanUpkeep(deps, scanning, COUNT_EVERY_MS)],
    ['start-rescan', () => startScheduled(deps, scanning)],
    ['queue-rescan', () => carryOnRescan(deps, scanning)],
  ];
  return { passes: [upkeep, ...lanes.map((lane): Pass[] => [['scan-items', lane]])], giveBack };
}

/** Items that a rescan queues at once; the queue has at most twice as many of it. */
const QUEUED_AT_ONCE = 200;

type Dependencies = Pick<ContentDependencies, 'sql' | 'clock' | 'log'>;

/** Carries on the rescan that goes on: one process at a time queues its next items, at its pace, and ends it. */
export async function carryOnRescan(
  { sql, clock, log }: Dependencies,
  { settings }: Pick<Scanning, 'settings'>,
): Promise<Batch> {
  const everyMs = 1000 / settings.rescanPerSecond;
  return await sql.begin(async (tx) => {
    const run = await scans.lockRun(tx);
    if (run === null) return { done: 0, more: false };
    const left = await scans.countQueued(tx, run.runId, QUEUED_AT_ONCE);
    const now = clock.now();
    if (run.afterNamespace !== null) {
      if (left >= QUEUED_AT_ONCE) return { done: 0, more: false };
      const queued = await scans.queueNext(tx, run, { now, limit: QUEUED_AT_ONCE, everyMs });
      return { done: queued, more: queued > 0 };
    }
    if (left > 0) return { done: 0, more: false };
    await scans.finishRun(tx, run.runId, now);
    log.info({ run: run.runId }, 'a rescan has ended');
    return { done: 1, more: false };
  });
}

/** Starts a rescan when its time has come. Of several processes one does: there is one rescan at a time. */
export async function startScheduled(
  { sql, clock, log }: Dependencies,
  { settings, scanner }: Pick<Scanning, 'settings' | 'scanner'>,
): Promise<Batch> {
  const { rescanEveryMs } = settings;
  if (rescanEveryMs === 0) return { done: 0, more: false };
  const now = clock.now();
  const last = await scans.lastRunStart(sql);
  if (last !== null && now - last < rescanEveryMs) return { done: 0, more: false };
  let version = '';
  try {
    version = (await scanner?.version()) ?? '';
  } catch (error) {
    if (!isAway(error)) throw error;
    return { done: 0, more: false, retry: true };
  }
  // Another process may have started one, and ended it, while this one asked its scanner.
  const noneSince = now - rescanEveryMs;
  const run = await scans.insertRun(sql, { startedBy: 'schedule', scanner: version, now, noneSince });
  if (run !== null) log.info({ run: run.runId, scanner: version }, 'a rescan has started by the schedule');
  return { done: run === null ? 0 : 1, more: false };
}

/** Releases forgotten at once. */
const FORGOTTEN = 500;

/** Counts the work that waits for the metrics, and forgets what belongs to items that are gone. */
function createScanUpkeep(
  { sql, clock }: Dependencies,
  { counts }: Scanning,
  everyMs: number,
): () => Promise<Batch> {
  let at = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = clock.now();
    if (now - at >= everyMs) {
      at = now;
      await scans.forgetReleases(sql, FORGOTTEN);
      counts.show(await scans.countScans(sql, now));
    }
    return { done: 0, more: false };
  };
}
