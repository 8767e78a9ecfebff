import type { CallContext } from '../../../shared/call-context.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { renewItem as contract } from '../../../shared/contracts/owners.ts';
import { announceItem } from '../../../shared/items/announce-item.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import { type AnyItem, renewItemRow, toItemRecord } from '../../../shared/items/item-repository.ts';
import { changeItem } from '../../../shared/items/item-turns.ts';
import { assertOwner, findLiveItem } from '../../../shared/items/owned-item.ts';
import { assertTtlAllowed, maxTtlDaysOf } from '../../../shared/items/owner-terms.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { ContentDependencies } from '../dependencies.ts';

/**
 * Restarts the lifetime of an item of any kind. Of two concurrent renewals the later one wins, here and in the cache, where
 * the item's counter and the values of its keys get the same end. Where `ttlDays` is `null` the item gets as many as it was
 * given last, if its owner may still give so many.
 * @throws NOT_FOUND also for an expired item that no sweep has met yet; OWNER_TOKEN_WRONG, TTL_INVALID, TIMEOUT
 */
export async function renewItem(
  deps: ContentDependencies,
  { namespace, id, ownerHash, ttlDays: wanted }: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { clock, ttlDayMs } = deps;
  const renewed = await changeItem(deps, { namespace, id }, context, 'a renewal', async (tx) => {
    const locked = await findLiveItem(tx, { namespace, id }, { clock, lock: true });
    assertOwner(locked, ownerHash);
    const now = clock.now();
    if (wanted !== null) await assertTtlAllowed(tx, ownerHash, wanted);
    const ttlDays = wanted ?? (await previousTtlDays(tx, locked));
    return await renewItemRow(tx, locked, { ttlDays, expiresAt: now + ttlDays * ttlDayMs }, now);
  });
  await announceItem(deps, toItemRecord(renewed));
  return { ttlDays: renewed.ttlDays, expiresAt: renewed.expiresAt };
}

/** The lifetime that an item has had, in days; shortened to what everybody may have where its owner's privilege has ended. */
const previousTtlDays = async (tx: Query, { ownerHash, ttlDays }: AnyItem): Promise<number> =>
  ttlDays <= LIMITS.ttlDaysMax ? ttlDays : Math.min(ttlDays, await maxTtlDaysOf(tx, ownerHash));
