import type { CallContext } from '../../../shared/call-context.ts';
import { callToRead } from '../../../shared/contracts/call.ts';
import type { AnyOperation, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { steadyNow, within } from '../../../shared/deadline.ts';
import { errors } from '../../../shared/errors.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import { createFreshSingleFlight } from '../../../shared/single-flight.ts';

/**
 * Makes a call, or shares one.
 * @param key the same for equal inputs
 * @throws TIMEOUT when the caller's own deadline is past
 */
type SharedCall<O extends AnyOperation> = (
  key: string,
  input: InputOf<O>,
  context: CallContext,
) => Promise<ReplyOf<O>>;

/**
 * Equal calls, made at once, of an operation that changes nothing share one call, which begins after all of them were made: a
 * call under way may have read the item before the latest acknowledged change. The shared call has the operation's own time,
 * and each caller waits for it until its own deadline: none inherits another's.
 */
export function createSharedCalls<O extends AnyOperation>(bus: Bus, operation: O): SharedCall<O> {
  const share = createFreshSingleFlight<ReplyOf<O>>();

  const ask = (input: InputOf<O>, context: CallContext): Promise<ReplyOf<O>> => {
    const attempts = operation.retry ? 2 : 1;
    const deadline = steadyNow() + attempts * operation.timeoutMs;
    return callToRead(bus, operation, input, { ...context, deadline });
  };

  return async (key, input, context) => {
    const leftMs = context.deadline - steadyNow();
    if (leftMs <= 0) throw errors.timeout(operation.subject);
    const answer = share(key, () => ask(input, context));
    return await within(answer, leftMs, () => errors.timeout(operation.subject));
  };
}
