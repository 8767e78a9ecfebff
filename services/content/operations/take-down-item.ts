import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { takeDownItem as contract } from '../../../shared/contracts/owners.ts';
import { itemKey } from '../../../shared/items/item.ts';
import { removeForOperator } from '../../../shared/items/remove-item.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { hashesOfItems } from '../repository/blocked-content.ts';
import { blockHashes } from './blocked-content.ts';
import { tellTakedown } from './remove-batch.ts';

/** Removes an item in the operator's name, and says so in the log: who asked, and for what. */
export async function takeDownItem(
  deps: ContentDependencies,
  { clientIp, namespace, id, blockContent = false, actor }: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  if (blockContent) {
    // First: nobody stores it again in between.
    const hashes = await hashesOfItems(deps.sql, [{ namespace, id }]);
    const reason = actor?.note ?? `Taken down: ${itemKey({ namespace, id })}`;
    await blockHashes(deps, { hashes, reason, actor }, context);
  }
  const { kind, code } = await removeForOperator(deps, { namespace, id }, context, async (tx, item) => {
    const now = deps.clock.now();
    await recordDone(tx, context, 'take-down-item', itemKey(item), actor, now);
    await tellTakedown(tx, deps, { by: 'item', target: itemKey(item) }, [item], now);
  });
  deps.log.warn(
    { requestId: context.requestId, clientIp, item: itemKey({ namespace, id }), kind, code },
    'an item was taken down',
  );
  return { kind };
}
