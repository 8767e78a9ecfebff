import type { CallContext } from '../../../shared/call-context.ts';
import { replaceEntries as contract } from '../../../shared/contracts/kv.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { failureOf } from '../../../shared/contracts/serve.ts';
import { repairSoonIfUncertain } from '../../../shared/items/announce-item.ts';
import { storeKey } from '../../../shared/items/item.ts';
import { assertInTime, orUncertain } from '../../../shared/items/write-in-time.ts';
import { announceWritten } from '../announce-entry.ts';
import type { KvDependencies } from '../dependencies.ts';

type Write = InputOf<typeof contract>['writes'][number];
type Outcome = ReplyOf<typeof contract>['outcomes'][number];

/**
 * Replaces values that many callers have sent, as far as that can be done at once: as all are answered together, none waits
 * for another write of its key, unless all are of one key. Each failure concerns its own write.
 */
export async function replaceEntries(
  deps: KvDependencies,
  { writes }: InputOf<typeof contract>,
  context: CallContext,
): Promise<ReplyOf<typeof contract>> {
  assertInTime(context, 'values');
  const { requestId } = context;
  const isOfOneKey = new Set(writes.map(storeKey)).size === 1;
  const replaceValue = isOfOneKey ? deps.values.replace : deps.values.replaceAtOnce;
  const replace = async (write: Write): Promise<Outcome> => {
    const replaced = await orUncertain(replaceValue(write, context.deadline));
    return replaced === null ? null : await announceWritten(deps, write, replaced, write.value);
  };
  const replaceOne = async (write: Write): Promise<Outcome> => {
    try {
      return await repairSoonIfUncertain(deps, replace(write));
    } catch (error) {
      return { failure: failureOf(error, { subject: contract.subject, requestId }, deps.log).error };
    }
  };
  return { outcomes: await Promise.all(writes.map(replaceOne)) };
}
