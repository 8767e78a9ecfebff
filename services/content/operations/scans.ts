import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/scans.ts';
import { errors } from '../../../shared/errors.ts';
import { announceItem } from '../../../shared/items/announce-item.ts';
import { itemKey } from '../../../shared/items/item.ts';
import { setItemVisibility, toItemRecord } from '../../../shared/items/item-repository.ts';
import { findLiveItem } from '../../../shared/items/owned-item.ts';
import { toQuarantineState, visibilityOf } from '../../../shared/items/quarantine.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import type { Scanning } from '../../../shared/scanning/scanning.ts';
import type { ContentDependencies } from '../dependencies.ts';
import * as scans from '../repository/scans.ts';
import { blobKeyOf } from '../sweep/scan-items.ts';

/** Rescans that are told of. */
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
    ...{ waiting, quarantined, links: scanning?.links?.state() ?? null, runs },
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
 * Ends the quarantine of an item: everybody may see it, unless the operator has hidden it besides. A scan that finds the same
 * in this content lets it pass from then on.
 * @throws NOT_FOUND, TIMEOUT
 */
export async function releaseItem(
  deps: ContentDependencies,
  { namespace, id, clientIp, actor }: InputOf<typeof contract.releaseItem>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.releaseItem>> {
  const { clock, log } = deps;
  const item = await writeInTime(deps, context, 'a release', async (tx) => {
    const locked = await findLiveItem(tx, { namespace, id }, { clock, lock: true });
    const { code, quarantine } = locked;
    const now = clock.now();
    await recordDone(tx, context, 'release-item', itemKey(locked), actor, now);
    if (quarantine === null) return locked;
    const { verdict } = quarantine;
    if (quarantine.cause === 'unscanned') await scans.finishScan(tx, code, false);
    else await scans.rememberRelease(tx, { code, blobKey: blobKeyOf(locked), verdict }, now);
    return await setItemVisibility(tx, locked, visibilityOf(locked, null, now), now);
  });
  await announceItem(deps, toItemRecord(item));
  const { kind, hidden, quarantine } = item;
  log.warn(
    { requestId: context.requestId, clientIp, item: itemKey(item), kind },
    'an item was released from quarantine',
  );
  return { kind, hidden, ...(quarantine === null ? {} : { quarantine: toQuarantineState(quarantine) }) };
}
