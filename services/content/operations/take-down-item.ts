import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { takeDownItem as contract } from '../../../shared/contracts/owners.ts';
import { itemKey } from '../../../shared/items/item.ts';
import { removeForOperator } from '../../../shared/items/remove-item.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { hashesOfItems } from '../repository/blocked-content.ts';
import { recordBlocks } from './blocked-content.ts';
import { queueTakedownNotice } from './remove-batch.ts';

/** Removes an item in the operator's name, and says so in the log: who asked, and for what. */
export async function takeDownItem(
  deps: ContentDependencies,
  { clientIp, namespace, id, blockContent = false, actor }: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  const { kind, code } = await removeForOperator(deps, { namespace, id }, context, async (tx, item) => {
    const now = deps.clock.now();
    if (blockContent) {
      // The row is locked, so the content cannot change; block and removal commit together.
      const hashes = await hashesOfItems(tx, [item]);
      const reason = actor?.note ?? `Taken down: ${itemKey(item)}`;
      await recordBlocks(tx, deps, { hashes, reason, actor }, context);
    }
    await recordDone(tx, context, 'take-down-item', itemKey(item), actor, now);
    await queueTakedownNotice(tx, deps, { by: 'item', target: itemKey(item) }, [item], now);
  });
  deps.log.warn(
    { requestId: context.requestId, clientIp, item: itemKey({ namespace, id }), kind, code },
    'an item was taken down',
  );
  return { kind };
}
