import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/owner-admin.ts';
import type { TakedownTarget } from '../../../shared/contracts/takedowns.ts';
import { errors } from '../../../shared/errors.ts';
import { repairSoonIfUncertain } from '../../../shared/items/announce-item.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { assertInTime, writeInTime } from '../../../shared/items/write-in-time.ts';
import { PerchError } from '../../../shared/perch-error.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { forgetTerms } from '../repository/owners.ts';
import { findTargeted, lockTargeted } from '../repository/takedown-targets.ts';
import { REMOVED_AT_ONCE, removeBatch } from './remove-batch.ts';

/** Takedowns that one round of the sweep looks at. */
const AT_ONCE = 10;

/**
 * Removes all items of an owner, whose privileges end, too. The order is committed first: when this process dies, or its
 * caller waits no longer, the sweep of any process goes on with it until nothing is left.
 * @throws TIMEOUT, UNAVAILABLE; TIMEOUT with `mayBeDone` when it goes on behind the answer
 */
export async function takeDownOwner(
  deps: ContentDependencies,
  { ownerId, clientIp, actor }: InputOf<typeof contract.takeDownOwner>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.takeDownOwner>> {
  const { log, clock } = deps;
  const { requestId } = context;
  await writeInTime(deps, context, 'a takedown', async (tx) => {
    const now = clock.now();
    await orderTakedown(tx, ownerId, now);
    await forgetTerms(tx, ownerId);
    await recordDone(tx, context, 'take-down-owner', ownerId, actor, now);
  });
  let items = 0;
  try {
    for (let more = true; more; ) {
      assertInTime(context, 'a takedown');
      const batch = await removeSome(deps, ownerId);
      items += batch.done;
      more = batch.more;
    }
  } catch (error) {
    // The order is committed.
    throw error instanceof PerchError ? errors.unanswered('a takedown, which goes on', error) : error;
  }
  // An earlier attempt may have removed them, and died before it told the cache.
  if (items === 0) deps.announcementMissed();
  log.warn({ requestId, clientIp, ownerId, items }, 'all items of an owner were taken down');
  return { items };
}

/** The sweep of takedowns that nobody has finished. */
export async function finishTakedowns(deps: ContentDependencies): Promise<Batch> {
  let done = 0;
  let more = false;
  for (const ownerId of await listTakedowns(deps.sql, AT_ONCE)) {
    const batch = await repairSoonIfUncertain(deps, removeSome(deps, ownerId));
    done += batch.done;
    more ||= batch.more;
  }
  return { done, more };
}

const itemsOf = (ownerId: string): TakedownTarget => ({ by: 'owner', value: ownerId });

/** Removes some items of an owner, and tells the cache; `more` until the takedown has ended. */
async function removeSome(deps: ContentDependencies, ownerId: string): Promise<Batch> {
  const target = itemsOf(ownerId);
  const found = await findTargeted(deps.sql, target, REMOVED_AT_ONCE);
  if (found.length === 0) return { done: 0, more: !(await hasEnded(deps, ownerId)) };
  const removed = await removeBatch(deps, found, (tx, items) => lockTargeted(tx, target, items), {
    by: 'owner',
    target: ownerId,
  });
  return { done: removed.length, more: true };
}

/** Another process may have ended it: then there is no order, and no item. */
async function hasEnded({ sql }: ContentDependencies, ownerId: string): Promise<boolean> {
  if (await endTakedown(sql, ownerId)) return true;
  return (await findTargeted(sql, itemsOf(ownerId), 1)).length === 0;
}

/** Orders the takedown of all items of an owner; once committed, any process finishes it. */
export async function orderTakedown(sql: Query, ownerId: string, now: number): Promise<void> {
  await sql`
    insert into owner_takedowns (owner_id, requested_at) values (${ownerId}, ${now}) on conflict (owner_id) do nothing`;
}

/** Owners whose takedown is not done. */
async function listTakedowns(sql: Query, limit: number): Promise<string[]> {
  const rows = await sql<Array<{ ownerId: string }>>`
    select owner_id from owner_takedowns order by requested_at limit ${limit}`;
  return rows.map(({ ownerId }) => ownerId);
}

/** Ends a takedown unless the owner has items. Returns whether it has ended. */
async function endTakedown(sql: Query, ownerId: string): Promise<boolean> {
  const { count } = await sql`
    delete from owner_takedowns
    where owner_id = ${ownerId} and not exists (select from items where owner_hash = ${ownerId})`;
  return count > 0;
}
