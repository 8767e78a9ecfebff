import { backoffMs } from '../../../shared/backoff.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { announceItem } from '../../../shared/items/announce-item.ts';
import { itemKey } from '../../../shared/items/item.ts';
import { type AnyItem, setItemVisibility, toItemRecord } from '../../../shared/items/item-repository.ts';
import { type Finding, isSameFinding, visibilityOf } from '../../../shared/items/quarantine.ts';
import { isBlobMissing } from '../../../shared/items/read-blob.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { isContentRefused } from '../../../shared/ports/scanner.ts';
import { ScanTooLate } from '../../../shared/scanning/examination.ts';
import { isAway } from '../../../shared/scanning/examiner.ts';
import type { Scanning } from '../../../shared/scanning/scanning.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { contentOf, examineItem, releasesOf } from '../examine-item.ts';
import * as scans from '../repository/scans.ts';

/** Items at once in a process. */
const LANES = 2;

/** Longest that one item is looked through, links and all, in ms: a large site. */
const SCAN_LIMIT_MS = 120_000;

/** How long an item is left to the process that took it, in ms: after its death another goes on. */
const LEASE_MS = 30_000;

/** A process renews the leases of what it works on so often, in ms. */
const RENEW_EVERY_MS = 10_000;

/** Pause of an item while the scanner or the store is away, in ms. */
const RETRY_MS = 5_000;

/** An item that ends the process that reads it, or takes too long, is not tried for ever. */
const MAX_TRIES = 5;

/** Pause of an item whose scan took too long. */
const LATE = { firstMs: 30_000, lastMs: 480_000 };

type Dependencies = Pick<
  ContentDependencies,
  'sql' | 'cache' | 'bus' | 'clock' | 'log' | 'announcementMissed'
>;

export interface ScanLanes {
  /**
   * Passes that look through items that wait for it, new content first, each one item at a time and none waiting for another.
   * While one works for a client, another one takes what others have sent, if there is anything. Any number of processes
   * may have some.
   */
  lanes: Array<() => Promise<Batch>>;
  /** Before a stop, which may cut off what is under way: the content is not to blame, so its try does not count. */
  giveBack(): Promise<void>;
}

export function createScanLanes(deps: Dependencies, scanning: Scanning): ScanLanes {
  const underWay: scans.QueuedScan[] = [];
  return {
    lanes: Array.from({ length: LANES }, () => () => scanNext(deps, scanning, underWay)),
    async giveBack() {
      try {
        for (const queued of [...underWay]) await scans.giveTryBack(deps.sql, queued);
      } catch (error) {
        deps.log.warn({ error }, 'the try of a scan could not be taken back');
      }
    },
  };
}

/** Looks through the next item that waits. @param underWay items that this process looks through meanwhile */
export async function scanNext(
  deps: Dependencies,
  scanning: Scanning,
  underWay: scans.QueuedScan[] = [],
): Promise<Batch> {
  const { sql, clock } = deps;
  const now = clock.now();
  const busy = underWay.map(({ client }) => client);
  const queued = await scans.takeQueuedScan(sql, { now, until: now + LEASE_MS, busy });
  if (queued === null) return { done: 0, more: false };
  underWay.push(queued);
  try {
    const outcome = await withLease(deps, queued, () => scanOne(deps, scanning, queued));
    const isStopped = outcome === 'away';
    return { done: 1, more: !isStopped, retry: isStopped };
  } finally {
    underWay.splice(underWay.indexOf(queued), 1);
  }
}

/** Keeps an item from other processes for as long as the work takes. */
async function withLease<T>(
  { sql, clock, log }: Dependencies,
  queued: scans.QueuedScan,
  work: () => Promise<T>,
): Promise<T> {
  const renew = async (): Promise<void> => {
    try {
      await scans.renewLease(sql, queued, clock.now() + LEASE_MS);
    } catch (error) {
      log.warn({ error }, 'the lease of a scan could not be renewed');
    }
  };
  const renewing = setInterval(() => void renew(), RENEW_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
  }
}

async function scanOne(
  deps: Dependencies,
  { background, settings }: Scanning,
  { code, runId, client, tries }: scans.QueuedScan,
): Promise<'done' | 'away'> {
  const { sql, clock, log } = deps;
  const item = await scans.findScanned(sql, code, clock.now());
  if (item === null || item.kind === 'kv') {
    await scans.finishScan(sql, code, false);
    return 'done';
  }
  try {
    const isReleased = await releasesOf(sql, item);
    const until = steadyNow() + SCAN_LIMIT_MS;
    if (tries > MAX_TRIES) await settle(deps, item, isReleased(tooOften) ? null : tooOften);
    else
      await settle(deps, item, await examineItem(background, item, settings, { until, isReleased, client }));
    return 'done';
  } catch (error) {
    if (error instanceof ScanTooLate) {
      // The try counts. Meanwhile others have their turn.
      await scans.postponeTry(sql, code, clock.now() + backoffMs(tries, LATE));
      log.warn({ item: itemKey(item), tries }, 'an item took too long to be looked through');
      return 'done';
    }
    if (!isAway(error)) throw error;
    if (isBlobMissing(error) || isContentRefused(error)) {
      await putOff(deps, item, { runId, tries }, error);
      return 'done';
    }
    log.warn({ error, item: itemKey(item) }, 'an item could not be looked through; it is tried again soon');
    await scans.postponeScan(sql, code, clock.now() + RETRY_MS);
    return 'away';
  }
}

/**
 * Puts an item off that cannot be looked through while others can. A rescan goes on without it in the end, and leaves it as
 * it was: what all items have, such as a full disk of the scanner, must not take them out of sight. New content waits on.
 */
async function putOff(
  { sql, clock, log }: Dependencies,
  item: AnyItem,
  { runId, tries }: Pick<scans.QueuedScan, 'runId' | 'tries'>,
  error: unknown,
): Promise<void> {
  const isLastTry = tries >= MAX_TRIES;
  const told = { error, item: itemKey(item), tries };
  if (isLastTry && runId !== null) {
    log.error(told, 'an item could not be looked through, however often it was tried; the rescan goes on');
    await sql.begin((tx) => finishUnseen(tx, item, clock.now()));
    return;
  }
  log.warn(told, 'an item could not be looked through; it is tried again later');
  const until = clock.now() + backoffMs(tries, LATE);
  // Further tries of new content do not count: `tooOften` would be a verdict about it.
  if (isLastTry) await scans.postponeScan(sql, item.code, until);
  else await scans.postponeTry(sql, item.code, until);
}

async function finishUnseen(tx: Query, scanned: AnyItem, now: number): Promise<void> {
  const item = await scans.findScanned(tx, scanned.code, now, true);
  if (item !== null && isOtherContent(item, scanned)) await scans.postponeScan(tx, item.code, now);
  else await scans.finishScan(tx, scanned.code, false);
}

const isOtherContent = (item: AnyItem, scanned: AnyItem): boolean =>
  contentOf(item).blobKey !== contentOf(scanned).blobKey;

const tooOften: Finding = {
  cause: 'unscannable',
  part: null,
  verdict: 'it could not be looked through, however often it was tried',
};

/** Keeps what was found, if the item still has the content that was looked through; else that one waits for its turn. */
async function settle(deps: Dependencies, scanned: AnyItem, finding: Finding | null): Promise<void> {
  const { sql, clock, log } = deps;
  const changed = await sql.begin(async (tx) => {
    const now = clock.now();
    const item = await scans.findScanned(tx, scanned.code, now, true);
    if (item === null) {
      await scans.finishScan(tx, scanned.code, false);
      return null;
    }
    const isOther = isOtherContent(item, scanned);
    // Released meanwhile: the scan has ended there, and the rest is not looked through.
    const isReleased = finding !== null && (await releasesOf(tx, item))(finding);
    if (isOther || isReleased) {
      await scans.postponeScan(tx, item.code, now);
      return null;
    }
    await scans.finishScan(tx, item.code, finding !== null);
    return await changeVisibility(tx, item, finding, now);
  });
  if (changed === null) return;
  await announceItem(deps, toItemRecord(changed));
  const { quarantine, kind } = changed;
  const told = { item: itemKey(changed), kind, cause: quarantine?.cause, verdict: quarantine?.verdict };
  if (quarantine === null) log.info(told, 'an item was looked through and may be seen');
  else log.warn({ ...told, part: quarantine.part }, 'an item was put into quarantine');
}

/** `null`: nothing changes. Malware or a link stays until the operator or new content ends it, or another such finding replaces it. */
async function changeVisibility(
  tx: Query,
  item: AnyItem,
  finding: Finding | null,
  now: number,
): Promise<AnyItem | null> {
  const { quarantine } = item;
  const stays = quarantine?.cause === 'malware' || quarantine?.cause === 'link';
  if (stays && (finding === null || finding.cause === 'unscannable')) return null;
  if (finding === null && quarantine === null) return null;
  if (finding !== null && quarantine !== null && isSameFinding(finding, quarantine)) return null;
  return await setItemVisibility(tx, item, visibilityOf(item, finding, now), now, 'scan');
}
