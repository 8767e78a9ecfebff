import { steadyNow } from '../deadline.ts';
import { errors, PerchError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Bus, Subscription } from '../ports/bus.ts';
import {
  assertShape,
  decodeMessage,
  encodeMessage,
  failureReply,
  lateReply,
  type ReplyEnvelope,
  type RequestEnvelope,
} from './call.ts';
import type { AnyOperation, CallContext, InputOf, ReplyOf } from './operation.ts';
import { createSenderClocks } from './sender-clocks.ts';

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

/** Of all who ask this process. */
const clocks = createSenderClocks();

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
    const context = contextOf(request);
    if (context.deadline <= steadyNow()) return lateReply(operation.subject);
    assertShape(operation.input, request.input, `input of ${operation.subject}`);
    const value = await perform(request.input, context);
    assertShape(operation.reply, value, `reply of ${operation.subject}`);
    return { ok: true, value };
  } catch (error) {
    return failureOf(error, { subject: operation.subject, requestId }, log);
  }
}

/** The reply to what has failed; a fault of ours is logged, as of the request that is named. */
export function failureOf(
  error: unknown,
  request: { subject: string; requestId: string },
  log: Logger,
): ReturnType<typeof failureReply> {
  const known = error instanceof PerchError ? error : errors.internal(error);
  if (isOurFault(known)) log.error({ error: known, ...request }, 'operation failed');
  return failureReply(known);
}

/** With the deadline by the clock of this process: the time that was left, less the time on the way. */
function contextOf({ requestId, deadline, client, from, sentAt }: RequestEnvelope): CallContext {
  const who = client === undefined ? {} : { client };
  if (from === undefined || sentAt === undefined) return { requestId, deadline, ...who };
  const now = steadyNow();
  return { requestId, deadline: now + (deadline - sentAt) - clocks.ageOf(from, sentAt, now), ...who };
}

const isOurFault = ({ code, isRefusal }: PerchError): boolean =>
  !isRefusal && ['INTERNAL', 'UNAVAILABLE', 'STORAGE_FULL'].includes(code);
