import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/takedowns.ts';
import { errors } from '../../../shared/errors.ts';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import type { AnyItem } from '../../../shared/items/item-repository.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { timeToCommit, writeInTime } from '../../../shared/items/write-in-time.ts';
import { PerchError } from '../../../shared/perch-error.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { type Hashed, hashesOfItems } from '../repository/blocked-content.ts';
import { countTargeted, findTargeted, lockTargeted } from '../repository/takedown-targets.ts';
import { blockHashes, hashed, recordBlocks } from './blocked-content.ts';
import { REMOVED_AT_ONCE, removeBatch } from './remove-batch.ts';

/** Items that are left are counted up to this many. */
const COUNT_BOUND = 10_000;

/** Time in ms that a batch has to have: less, and the caller is told what is left. */
const BATCH_MS = 2_000;

/**
 * Removes items of an owner, a network or some content, up to a limit or as long as there is time, and blocks their content first
 * where that is wanted. Of two at once each item is removed by one, and counted once.
 * @throws TIMEOUT, UNAVAILABLE; TIMEOUT with `mayBeDone` when some may be gone, or some content is blocked
 */
export async function takeDownMany(
  deps: ContentDependencies,
  { target, limit, reason, blockContent, actor }: InputOf<typeof contract.takeDownMany>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.takeDownMany>> {
  const { sql, clock, log } = deps;
  let removed = 0;
  let blocked = 0;
  /** Whether something is done that cannot be undone, or may be. */
  let hasBegun = false;
  const block = async (hashes: Hashed[]): Promise<void> => {
    blocked += (await blockHashes(deps, { hashes, reason, actor }, context)).fresh;
    hasBegun ||= blocked > 0;
  };
  const blocksTheirs = blockContent && target.by !== 'content';
  /** Blocks what owners have put into their items since those were looked at. */
  const blockNewer = async (tx: Query, items: AnyItem[], known: Hashed[]): Promise<number> => {
    const etags = new Set(known.map(({ etag }) => etag));
    const hashes = (await hashesOfItems(tx, items)).filter(({ etag }) => !etags.has(etag));
    return (await recordBlocks(tx, deps, { hashes, reason, actor }, context)).fresh;
  };
  try {
    if (limit > 0) {
      if (target.by === 'content') await block([hashed(target.value)]);
      await writeInTime(deps, context, 'a takedown', (tx) =>
        recordDone(tx, context, 'take-down-many', `${target.by} ${target.value}`, actor, clock.now()),
      );
    }
    while (removed < limit && timeToCommit(context) > BATCH_MS) {
      const found = await findTargeted(sql, target, Math.min(REMOVED_AT_ONCE, limit - removed));
      if (found.length === 0) break;
      const hashes = blocksTheirs ? await hashesOfItems(sql, found) : [];
      if (blocksTheirs) await block(hashes);
      let newer = 0;
      const lock = async (tx: Query, some: ItemRef[]): Promise<AnyItem[]> => {
        const items = await lockTargeted(tx, target, some);
        newer = blocksTheirs ? await blockNewer(tx, items, hashes) : 0;
        // From here on a failure may come after the commit.
        hasBegun = true;
        return items;
      };
      const items = await removeBatch(deps, found, lock, { by: target.by, target: target.value });
      removed += items.length;
      blocked += newer;
      log.warn(
        { requestId: context.requestId, by: target.by, target: target.value, items: items.map(itemKey) },
        'items were taken down',
      );
    }
    // An earlier attempt may have removed them, and died before it told the cache.
    if (limit > 0 && removed === 0) deps.announcementMissed();
    const left = await countTargeted(sql, target, COUNT_BOUND + 1);
    return { removed, left: Math.min(left, COUNT_BOUND), leftIsLowerBound: left > COUNT_BOUND, blocked };
  } catch (error) {
    const isKnown = error instanceof PerchError && !error.mayBeDone;
    throw hasBegun && isKnown ? errors.unanswered('a takedown, of which a part is done', error) : error;
  }
}
