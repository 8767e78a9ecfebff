import type { CallContext } from '../contracts/operation.ts';
import { announceItem } from './announce-item.ts';
import { type ItemRef, LIMITS } from './item.ts';
import type { ItemDependencies } from './item-dependencies.ts';
import { type AnyItem, renewItemRow, toItemRecord } from './item-repository.ts';
import { assertOwner, findLiveItem } from './owned-item.ts';
import { assertTtlAllowed, maxTtlDaysOf } from './owner-terms.ts';
import type { Query } from './sql.ts';
import { writeInTime } from './write-in-time.ts';

/**
 * Counts the life of an item of whatever kind anew, from now on. Of two renewals at once the later one stands, here and
 * in the cache, where the item's counter and the values of its keys get the same end.
 * @param ttlDays `null`: as many as it was given last, if its owner may still give so many
 * @throws NOT_FOUND also for an expired item that no sweep has met yet; OWNER_TOKEN_WRONG, TTL_INVALID, TIMEOUT
 */
export async function renewItem(
  deps: ItemDependencies,
  item: ItemRef,
  ownerHash: string,
  ttlDays: number | null,
  context: CallContext,
): Promise<AnyItem> {
  const { clock, ttlDayMs } = deps;
  const renewed = await writeInTime(deps, context, 'a renewal', async (tx) => {
    const locked = await findLiveItem(tx, item, { clock, lock: true });
    assertOwner(locked, ownerHash);
    const now = clock.now();
    if (ttlDays !== null) await assertTtlAllowed(tx, ownerHash, ttlDays);
    const days = ttlDays ?? (await asLongAsBefore(tx, locked));
    return await renewItemRow(tx, locked, { ttlDays: days, expiresAt: now + days * ttlDayMs }, now);
  });
  await announceItem(deps, toItemRecord(renewed));
  return renewed;
}

/** Of an owner who is privileged no more, the most that everybody may. */
const asLongAsBefore = async (tx: Query, { ownerHash, ttlDays }: AnyItem): Promise<number> =>
  ttlDays <= LIMITS.ttlDaysMax ? ttlDays : Math.min(ttlDays, await maxTtlDaysOf(tx, ownerHash));
