import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/scans.ts';
import { errors } from '../../../shared/errors.ts';
import { announceItem } from '../../../shared/items/announce-item.ts';
import { itemKey } from '../../../shared/items/item.ts';
import type { Admission } from '../../../shared/items/item-dependencies.ts';
import { type AnyItem, setItemVisibility, toItemRecord } from '../../../shared/items/item-repository.ts';
import { changeItem } from '../../../shared/items/item-turns.ts';
import { findLiveItem } from '../../../shared/items/owned-item.ts';
import {
  findingIdOf,
  isSameFinding,
  toQuarantineState,
  visibilityOf,
} from '../../../shared/items/quarantine.ts';
import { queueScan } from '../../../shared/items/scan-queue.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import { examineBy, examineLater } from '../../../shared/scanning/content-check.ts';
import { ScanTooLate } from '../../../shared/scanning/examination.ts';
import { isAway } from '../../../shared/scanning/examiner.ts';
import type { Scanning } from '../../../shared/scanning/scanning.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { contentOf, examineItem, releasesOf } from '../examine-item.ts';
import * as scans from '../repository/scans.ts';

/** Rescans that `describeScans` lists. */
const RUNS = 20;

/** Whether the scanner answers. */
export async function pingScanner(scanning: Scanning | null): Promise<ReplyOf<typeof contract.pingScanner>> {
  const scanner = scanning?.scanner ?? null;
  if (scanner === null) return { scanner: 'none' };
  return await scanner.check().then(
    () => ({ scanner: 'up' }) as const,
    () => ({ scanner: 'down' }) as const,
  );
}

/** The scanner, the blocklist of links, and the work that waits. */
export async function describeScans(
  { sql, clock }: Pick<ContentDependencies, 'sql' | 'clock'>,
  scanning: Scanning | null,
): Promise<ReplyOf<typeof contract.describeScans>> {
  await scanning?.links?.refresh();
  const scanner = scanning?.scanner ?? null;
  const [version, { waiting, quarantined }, runs] = await Promise.all([
    scanner === null ? null : scanner.version().catch(() => null),
    scans.countScans(sql, clock.now()),
    scans.listRuns(sql, RUNS),
  ]);
  return {
    scanner: scanner === null ? 'none' : version === null ? 'down' : 'up',
    version,
    mode: scanning?.settings.mode ?? 'before',
    whenAway: scanning?.settings.whenAway ?? 'hold',
    waiting,
    quarantined,
    links: scanning?.links?.state() ?? null,
    runs,
  };
}

/** Starts a rescan of all that is stored, or finds the one that goes on. @throws VALIDATION_FAILED without a scanner and a list */
export async function startRescan(
  deps: ContentDependencies,
  scanning: Scanning | null,
  { actor }: InputOf<typeof contract.startRescan>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.startRescan>> {
  if (scanning === null) throw errors.nothingScans();
  const version = (await scanning.scanner?.version()) ?? '';
  return await writeInTime(deps, context, 'a rescan', async (tx) => {
    const now = deps.clock.now();
    const started = await scans.insertRun(tx, { startedBy: 'operator', scanner: version, now });
    if (started !== null) await recordDone(tx, context, 'start-rescan', String(started.runId), actor, now);
    const run = started ?? (await scans.listRuns(tx, 1))[0];
    if (run === undefined) throw new Error('a rescan is neither there nor can it be started');
    return { run, started: started !== null };
  });
}

/**
 * Releases the finding in an item. The release is remembered for this content, the rest of which is scanned at once: the
 * item becomes visible if nothing else is found and the operator has not hidden it. Without time, or with the scanner away,
 * it waits for its scan. Releasing an unscanned item means that the operator vouches for it.
 * @throws NOT_FOUND, TIMEOUT, FINDING_CHANGED when the finding is another one than the operator has seen
 */
export async function releaseItem(
  deps: ContentDependencies,
  scanning: Scanning | null,
  { namespace, id, findingId, clientIp, actor }: InputOf<typeof contract.releaseItem>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.releaseItem>> {
  const { sql, clock, log } = deps;
  const examined = await findLiveItem(sql, { namespace, id }, { clock, lock: false });
  const seen = findingId ?? findingOf(examined);
  assertSeen(examined, seen);
  const admission = await admitAgain(sql, scanning, examined, context);
  const item = await changeItem(deps, { namespace, id }, context, 'a release', async (tx) => {
    const locked = await findLiveItem(tx, { namespace, id }, { clock, lock: true });
    assertSeen(locked, seen);
    const { code, quarantine } = locked;
    const now = clock.now();
    await recordDone(tx, context, 'release-item', itemKey(locked), actor, now);
    if (quarantine === null) return locked;
    if (quarantine.cause !== 'unscanned') await scans.rememberRelease(tx, contentOf(locked), quarantine, now);
    if (admission.queue) await queueScan(tx, { code, client: undefined }, now);
    return await setItemVisibility(tx, locked, visibilityOf(locked, admission.finding, now), now, 'operator');
  });
  await announceItem(deps, toItemRecord(item));
  const { kind, hidden, quarantine } = item;
  log.warn(
    { requestId: context.requestId, clientIp, item: itemKey(item), kind, left: quarantine?.cause },
    'a finding in an item was released',
  );
  return { kind, hidden, ...(quarantine === null ? {} : { quarantine: toQuarantineState(quarantine) }) };
}

const findingOf = (item: AnyItem): string | null =>
  item.quarantine === null ? null : findingIdOf(contentOf(item).blobKey, item.quarantine);

/** An item that is in quarantine no more needs no release. @throws FINDING_CHANGED */
function assertSeen(item: AnyItem, seen: string | null): void {
  const found = findingOf(item);
  if (found !== null && found !== seen) throw errors.findingChanged(item.namespace, item.id);
}

/** How an item goes on without the finding that it is in quarantine for. */
async function admitAgain(
  sql: Query,
  scanning: Scanning | null,
  item: AnyItem,
  context: CallContext,
): Promise<Admission> {
  const { quarantine } = item;
  // An item that waits for its first scan stays in the queue.
  if (quarantine === null || quarantine.cause === 'unscanned' || scanning === null)
    return { finding: null, queue: false };
  const wasReleased = await releasesOf(sql, item);
  try {
    const finding = await examineItem(scanning.examiner, item, scanning.settings, {
      until: examineBy(context),
      client: context.client,
      isReleased: (found) => wasReleased(found) || isSameFinding(found, quarantine),
    });
    return { finding, queue: false };
  } catch (error) {
    if (!(error instanceof ScanTooLate) && !isAway(error)) throw error;
    return examineLater(scanning.settings);
  }
}
