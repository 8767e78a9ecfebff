import { errors, PerchError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Bus, Subscription } from '../ports/bus.ts';
import {
  assertShape,
  decodeMessage,
  encodeMessage,
  failureReply,
  type ReplyEnvelope,
  type RequestEnvelope,
} from './call.ts';
import type { AnyOperation, CallContext, InputOf, ReplyOf } from './operation.ts';

/** An operation with the function that performs it. */
export interface Served {
  operation: AnyOperation;
  perform(input: unknown, context: CallContext): Promise<unknown>;
}

/** Pairs an operation with its function, checked by type. */
export function served<O extends AnyOperation>(
  operation: O,
  perform: (input: InputOf<O>, context: CallContext) => Promise<ReplyOf<O>>,
): Served {
  return { operation, perform: (input, context) => perform(input as InputOf<O>, context) };
}

/**
 * Puts operations on the bus under one queue group. Work whose deadline is past is not started: whoever asked has
 * gone, and has perhaps asked again.
 */
export async function serve(
  bus: Bus,
  queue: string,
  operations: Served[],
  log: Logger,
): Promise<Subscription> {
  const subscriptions = await Promise.all(
    operations.map((entry) =>
      bus.serve(entry.operation.subject, queue, async (payload) =>
        encodeMessage(await answer(entry, payload, log)),
      ),
    ),
  );
  return {
    async drain() {
      await Promise.all(subscriptions.map((subscription) => subscription.drain()));
    },
  };
}

async function answer(
  { operation, perform }: Served,
  payload: Uint8Array,
  log: Logger,
): Promise<ReplyEnvelope> {
  let requestId = 'unknown';
  try {
    const request = decodeMessage(payload) as RequestEnvelope;
    requestId = request.requestId;
    if (request.deadline <= Date.now()) throw errors.timeout(operation.subject);
    assertShape(operation.input, request.input, `input of ${operation.subject}`);
    const value = await perform(request.input, { requestId, deadline: request.deadline });
    assertShape(operation.reply, value, `reply of ${operation.subject}`);
    return { ok: true, value };
  } catch (error) {
    const known = error instanceof PerchError ? error : errors.internal(error);
    if (isOurFault(known)) {
      log.error({ error: known, subject: operation.subject, requestId }, 'operation failed');
    }
    return failureReply(known);
  }
}

const isOurFault = ({ code, isRefusal }: PerchError): boolean =>
  !isRefusal && ['INTERNAL', 'UNAVAILABLE', 'STORAGE_FULL'].includes(code);
