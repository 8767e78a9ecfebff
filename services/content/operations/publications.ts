import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/publications.ts';
import { announceItem } from '../../../shared/items/announce-item.ts';
import { itemKey } from '../../../shared/items/item.ts';
import { hideItemRow, toItemRecord } from '../../../shared/items/item-repository.ts';
import { findLiveItem } from '../../../shared/items/owned-item.ts';
import { findingIdOf } from '../../../shared/items/quarantine.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import type { ContentDependencies } from '../dependencies.ts';
import * as publications from '../repository/publications.ts';

/** Items are counted up to this many. */
const COUNT_BOUND = 100_000;

/** A part of all items for the operator, and how many there are. */
export async function listPublications(
  { sql, clock }: Pick<ContentDependencies, 'sql' | 'clock'>,
  { filter, ...page }: InputOf<typeof contract.listPublications>,
): Promise<ReplyOf<typeof contract.listPublications>> {
  const now = clock.now();
  const [found, counted] = await Promise.all([
    publications.listPublications(sql, filter, page, now),
    publications.countPublications(sql, filter, COUNT_BOUND + 1, now),
  ]);
  const isLowerBound = counted > COUNT_BOUND;
  const listed = found.map(({ blobKey, ...item }) => ({
    ...item,
    ...(item.quarantine ? { findingId: findingIdOf(blobKey ?? '', item.quarantine) } : {}),
  }));
  return { publications: listed, total: { count: Math.min(counted, COUNT_BOUND), isLowerBound } };
}

/** Hides an item from everybody but its owner, or shows it again. @throws NOT_FOUND, TIMEOUT */
export async function hideItem(
  deps: ContentDependencies,
  { namespace, id, hidden, clientIp, actor }: InputOf<typeof contract.hideItem>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.hideItem>> {
  const { clock, log } = deps;
  const item = await writeInTime(deps, context, 'a change of who sees an item', async (tx) => {
    const locked = await findLiveItem(tx, { namespace, id }, { clock, lock: true });
    const now = clock.now();
    const changed = await hideItemRow(tx, locked, hidden, now);
    await recordDone(tx, context, hidden ? 'hide-item' : 'show-item', itemKey(locked), actor, now);
    return changed;
  });
  // Also when nothing has changed: an earlier attempt may have died between its commit and its announcement.
  await announceItem(deps, toItemRecord(item));
  const { kind, code } = item;
  log.warn(
    { requestId: context.requestId, clientIp, item: itemKey(item), kind, code },
    hidden ? 'an item was hidden' : 'an item was shown again',
  );
  return { kind, quarantined: item.quarantine !== null };
}
