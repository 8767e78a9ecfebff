import type { CallContext } from '../call-context.ts';
import type { AnyOperation, InputOf, ReplyOf } from '../contracts/operation.ts';
import { handler, type OperationHandler } from '../contracts/serve.ts';
import { repairSoonIfUncertain } from './announce-item.ts';
import type { ItemDependencies } from './item-dependencies.ts';

/**
 * Returns a function that pairs an operation with the function that performs it with these dependencies. For operations
 * that change items: when one fails, it may have committed without telling the cache, and the next repair pass runs soon.
 */
export const itemChangeHandlers =
  <D extends Pick<ItemDependencies, 'announcementMissed'>>(deps: D) =>
  <O extends AnyOperation>(
    operation: O,
    perform: (deps: D, input: InputOf<O>, context: CallContext) => Promise<ReplyOf<O>>,
  ): OperationHandler =>
    handler(operation, (input, context) => repairSoonIfUncertain(deps, perform(deps, input, context)));
