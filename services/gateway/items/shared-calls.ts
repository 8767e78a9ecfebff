import type { CallContext } from '../../../shared/call-context.ts';
import { callToRead } from '../../../shared/contracts/call.ts';
import type { AnyOperation, InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { steadyNow, within } from '../../../shared/deadline.ts';
import { errors } from '../../../shared/errors.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import { createFreshSingleFlight } from '../../../shared/single-flight.ts';

/** Asks a question that several may have at once. @throws TIMEOUT when the asker's own deadline is past */
type SharedCall<O extends AnyOperation> = (
  question: string,
  input: InputOf<O>,
  context: CallContext,
) => Promise<ReplyOf<O>>;

/**
 * Equal questions at once share a call of an operation that changes nothing. It always begins after they were asked: a
 * call under way may have read the item before the latest acknowledged change. The call has the operation's own time,
 * and each caller waits for it until its own deadline: none inherits another's.
 */
export function createSharedCalls<O extends AnyOperation>(bus: Bus, operation: O): SharedCall<O> {
  const share = createFreshSingleFlight<ReplyOf<O>>();

  const ask = (input: InputOf<O>, context: CallContext): Promise<ReplyOf<O>> => {
    const attempts = operation.retry ? 2 : 1;
    const deadline = steadyNow() + attempts * operation.timeoutMs;
    return callToRead(bus, operation, input, { ...context, deadline });
  };

  return async (question, input, context) => {
    const leftMs = context.deadline - steadyNow();
    if (leftMs <= 0) throw errors.timeout(operation.subject);
    const answer = share(question, () => ask(input, context));
    return await within(answer, leftMs, () => errors.timeout(operation.subject));
  };
}
