import { TypeCompiler } from '@sinclair/typebox/compiler';
import { nanoid } from 'nanoid';
import type { CallContext } from '../call-context.ts';
import { steadyNow } from '../deadline.ts';
import { errors } from '../errors.ts';
import { type ErrorCode, type FieldIssue, PerchError } from '../perch-error.ts';
import type { Bus } from '../ports/bus.ts';
import { type AnyOperation, type InputOf, isPing, type ReplyOf } from './operation.ts';

/** A request as it travels. */
export interface RequestEnvelope extends CallContext {
  /**
   * The process that sends it, and when, by the clock of `deadline`, which is the sender's: to anybody else it tells only
   * how much time there was when it was sent. Earlier releases do not send these two.
   */
  from?: string;
  sentAt?: number;
  input: unknown;
}

/** A reply as it travels: errors cross processes as codes. */
export type ReplyEnvelope = { ok: true; value: unknown } | FailureReply;

interface FailureReply {
  ok: false;
  error: Failure;
}

/** An error as it travels. */
export interface Failure {
  code: ErrorCode;
  message: string;
  details: FieldIssue[];
  retryAfter: number | null;
  /** Only of a refusal. Releases that do not know it take it for any other failure. */
  isRefusal?: true;
  /** Only of what may have been done all the same. */
  mayBeDone?: true;
  /** Only of a request that came too late, so that nothing was begun. */
  cameLate?: true;
}

type Check = ReturnType<typeof TypeCompiler.Compile>;
const compiled = new WeakMap<object, Check>();

/** Throws when a value does not have the shape the contract says: a fault of ours, never of the client. */
export function assertShape(schema: AnyOperation['input'], value: unknown, what: string): void {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = TypeCompiler.Compile(schema);
    compiled.set(schema, check);
  }
  if (check.Check(value)) return;
  const first = check.Errors(value).First();
  throw errors.internal(new TypeError(`${what} breaks its contract at "${first?.path}": ${first?.message}`));
}

/** The reply that an error travels as. */
export function failureReply({
  code,
  message,
  details,
  retryAfter,
  isRefusal,
  mayBeDone,
}: PerchError): FailureReply {
  const marks = { ...(isRefusal ? { isRefusal } : {}), ...(mayBeDone ? { mayBeDone } : {}) };
  return { ok: false, error: { code, message, details, retryAfter, ...marks } };
}

/** The reply to a request that came too late. */
export function lateReply(subject: string): FailureReply {
  const { error } = failureReply(errors.timeout(subject));
  return { ok: false, error: { ...error, cameLate: true } };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const encodeMessage = (message: RequestEnvelope | ReplyEnvelope): Uint8Array =>
  encoder.encode(JSON.stringify(message));
export const decodeMessage = (payload: Uint8Array): unknown => JSON.parse(decoder.decode(payload));

/** This process, for the clocks of those it asks. */
const SENDER = nanoid(10);

/** With less time left, in ms, no answer can come: timers may end an attempt by so much too early. */
const MIN_MS = 2;

/** Before a request is sent again that nobody has begun, in ms. */
const PAUSE_MS = 200;

/**
 * Calls an operation of a service, within the deadline of `context`. An error is final: work that has not been done by
 * then is not done later, except for work that is being done at that very moment (`mayBeDone`). Retries:
 * - No reply in time: an operation that may be repeated is sent a second time.
 * - The request came too late, so that nobody has begun it: it is sent again.
 * - The connection was lost: a write that may be repeated is sent again; any other is waited for until its deadline.
 */
export async function call<O extends AnyOperation>(
  bus: Bus,
  operation: O,
  input: InputOf<O>,
  context: CallContext,
): Promise<ReplyOf<O>> {
  const { subject, retry, writes = false } = operation;
  assertShape(operation.input, input, `input of ${subject}`);
  const options = { gather: operation.gather ?? false, waits: !isPing(subject) };
  let unanswered = 0;
  /** Until when an attempt without an answer may still be done; 0: there is none. */
  let openUntil = 0;
  for (;;) {
    const sentAt = steadyNow();
    const timeoutMs = Math.min(operation.timeoutMs, context.deadline - sentAt);
    if (timeoutMs < MIN_MS) throw unanswered === 0 ? errors.timeout(subject) : errors.unanswered(subject);
    const deadline = sentAt + timeoutMs;
    const payload = encodeMessage({ ...context, deadline, from: SENDER, sentAt, input });
    const reply = await answerOf(bus.request(subject, payload, { ...options, timeoutMs }));
    if (!(reply instanceof PerchError)) {
      const isSure = reply.ok || openUntil === 0 || !isTemporary(reply.error.code);
      if (isSure && (reply.ok || !reply.error.cameLate)) return readReply(operation, reply);
    } else {
      const isLost = reply.mayBeDone && reply.code === 'TIMEOUT';
      if (isLost) unanswered += 1;
      if (reply.mayBeDone && writes) openUntil = deadline;
      if (isLost ? !retry || unanswered === 2 : openUntil === 0) throw reply;
      if (isLost) continue;
    }
    const openMs = openUntil - steadyNow();
    if (openUntil > 0 && (openMs <= 0 || !retry)) {
      await Bun.sleep(Math.max(0, openMs));
      throw errors.unanswered(subject);
    }
    await Bun.sleep(PAUSE_MS);
  }
}

/** The reply, or why there is none. */
async function answerOf(asked: Promise<Uint8Array>): Promise<ReplyEnvelope | PerchError> {
  try {
    return decodeMessage(await asked) as ReplyEnvelope;
  } catch (error) {
    if (error instanceof PerchError) return error;
    throw error;
  }
}

/** Whether it says nothing of an earlier attempt. */
const isTemporary = (code: ErrorCode): boolean => ['UNAVAILABLE', 'STORAGE_FULL', 'TIMEOUT'].includes(code);

/** The error that a failure tells of. */
export function errorOf({ code, message, details, retryAfter, isRefusal, mayBeDone }: Failure): PerchError {
  const extras = { details, isRefusal: isRefusal === true, mayBeDone: mayBeDone === true };
  return new PerchError(code, message, retryAfter === null ? extras : { ...extras, retryAfter });
}

function readReply<O extends AnyOperation>(operation: O, reply: ReplyEnvelope): ReplyOf<O> {
  if (!reply.ok) throw errorOf(reply.error);
  assertShape(operation.reply, reply.value, `reply of ${operation.subject}`);
  return reply.value as ReplyOf<O>;
}

/**
 * Pause before the second attempt, in ms: by then a restarting service is known to be away, so the attempt waits for
 * it.
 */
const READ_PAUSE_MS = 100;

/**
 * Asks for something that changes nothing: once more when NATS, or what the service stands on, was lost with the answer,
 * as by a restart. A refusal is not asked again, nor what was too late.
 */
export async function callToRead<O extends AnyOperation>(
  bus: Bus,
  operation: O,
  input: InputOf<O>,
  context: CallContext,
): Promise<ReplyOf<O>> {
  try {
    return await call(bus, operation, input, context);
  } catch (error) {
    if (!(error instanceof PerchError) || error.code !== 'UNAVAILABLE' || error.isRefusal) throw error;
    await Bun.sleep(READ_PAUSE_MS);
    return await call(bus, operation, input, context);
  }
}
