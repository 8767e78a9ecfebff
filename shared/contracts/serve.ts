import type { CallContext } from '../call-context.ts';
import { steadyNow } from '../deadline.ts';
import { errors } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { PerchError } from '../perch-error.ts';
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
import type { AnyOperation, InputOf, ReplyOf } from './operation.ts';

/** The clock of another process, as far as its messages tell. All in ms. */
interface SenderClock {
  /** The least that a message seemed to take: the difference of the two clocks, and the shortest way. */
  least: number;
  /** When the last message came. */
  seenAt: number;
  /** When the first message came that this is made of. */
  since: number;
  /** Since when every message has come late; `null` when the last one did not. */
  lateSince: number | null;
}

interface SenderClocks {
  /**
   * How long a message was under way, in ms, compared with the quickest of its sender: it may have waited in the bus,
   * in a connection, or in either process while that was stopped.
   * @param sentAt by the sender's clock; `now` by the receiver's
   */
  ageOf(sender: string, sentAt: number, now: number): number;
}

/** A receiver that was stopped reads all that waited for it within this time, in ms. */
const SETTLED_AFTER_MS = 2_000;
/** Two clocks drift apart by less (in ms each ms): NTP slews a clock by half of it at most. */
const DRIFT = 0.001;
/** A message older than this has waited, in ms. */
const LATE_MS = 1_000;
/** When everything is late for so long, a clock has been set anew: a machine that slept, for example. */
const RELEARNED_AFTER_MS = 60_000;
/** Senders that are remembered; whoever was silent longest is forgotten. */
const SENDERS = 1_000;

/**
 * The clocks of those who send, so that a message that waited can be told from one of a clock that differs. Until a
 * sender's clock is known for certain it is taken to agree where that makes its messages older: what is refused in vain
 * is sent again at once (`call`), while late work that passes for new could undo what came after it.
 */
export function createSenderClocks(): SenderClocks {
  const clocks = new Map<string, SenderClock>();

  const remember = (sender: string, lag: number, now: number): SenderClock => {
    const known = clocks.get(sender);
    if (known !== undefined && now - (known.lateSince ?? now) < RELEARNED_AFTER_MS) {
      known.least = Math.min(lag, known.least + (now - known.seenAt) * DRIFT);
      known.seenAt = now;
      return known;
    }
    const clock: SenderClock = { least: lag, seenAt: now, since: now, lateSince: null };
    clocks.set(sender, clock);
    if (clocks.size > SENDERS) forgetOne();
    return clock;
  };
  const forgetOne = (): void => {
    const [silent] = [...clocks].toSorted(([, a], [, b]) => a.seenAt - b.seenAt);
    if (silent !== undefined) clocks.delete(silent[0]);
  };

  return {
    ageOf(sender, sentAt, now) {
      const lag = now - sentAt;
      const clock = remember(sender, lag, now);
      const isSettled = now - clock.since >= SETTLED_AFTER_MS;
      const age = lag - (isSettled ? clock.least : Math.min(clock.least, 0));
      if (age < LATE_MS) clock.lateSince = null;
      else clock.lateSince ??= now;
      return age;
    },
  };
}

/** An operation with the function that performs it. */
export interface OperationHandler {
  operation: AnyOperation;
  perform(input: unknown, context: CallContext): Promise<unknown>;
}

/** Pairs an operation with its function, checked by type. */
export function handler<O extends AnyOperation>(
  operation: O,
  perform: (input: InputOf<O>, context: CallContext) => Promise<ReplyOf<O>>,
): OperationHandler {
  return { operation, perform: (input, context) => perform(input as InputOf<O>, context) };
}

/** Clocks of all who ask this process. */
const clocks = createSenderClocks();

/**
 * Puts operations on the bus under one queue group. Work whose deadline is past is not started: whoever asked has
 * gone, and has perhaps asked again.
 */
export async function serve(
  bus: Bus,
  queue: string,
  operations: OperationHandler[],
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
  { operation, perform }: OperationHandler,
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

/** Context with the deadline by the clock of this process: the time that was left, less the time on the way. */
function contextOf({ requestId, deadline, client, from, sentAt }: RequestEnvelope): CallContext {
  const who = client === undefined ? {} : { client };
  if (from === undefined || sentAt === undefined) return { requestId, deadline, ...who };
  const now = steadyNow();
  return { requestId, deadline: now + (deadline - sentAt) - clocks.ageOf(from, sentAt, now), ...who };
}

const isOurFault = ({ code, isRefusal }: PerchError): boolean =>
  !isRefusal && ['INTERNAL', 'UNAVAILABLE', 'STORAGE_FULL'].includes(code);
