import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type ErrorCode, errors, type FieldFault, PerchError } from '../errors.ts';
import type { Bus } from '../ports/bus.ts';
import { type AnyOperation, type CallContext, type InputOf, isPing, type ReplyOf } from './operation.ts';

/** A request as it travels. */
export interface RequestEnvelope {
  requestId: string;
  deadline: number;
  input: unknown;
}

/** A reply as it travels: errors cross processes as codes. */
export type ReplyEnvelope =
  | { ok: true; value: unknown }
  | {
      ok: false;
      error: {
        code: ErrorCode;
        message: string;
        details: FieldFault[];
        retryAfter: number | null;
        /** Only of a refusal. Releases that do not know it take it for any other failure. */
        isRefusal?: true;
      };
    };

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
export function failureReply({ code, message, details, retryAfter, isRefusal }: PerchError): ReplyEnvelope {
  return {
    ok: false,
    error: { code, message, details, retryAfter, ...(isRefusal ? { isRefusal } : {}) },
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const encodeMessage = (message: RequestEnvelope | ReplyEnvelope): Uint8Array =>
  encoder.encode(JSON.stringify(message));
export const decodeMessage = (payload: Uint8Array): unknown => JSON.parse(decoder.decode(payload));

/**
 * Asks a service for an operation. An operation that may be repeated is sent a second time when the first reply is
 * lost, as long as the request's deadline allows.
 */
export async function call<O extends AnyOperation>(
  bus: Bus,
  operation: O,
  input: InputOf<O>,
  context: CallContext,
): Promise<ReplyOf<O>> {
  assertShape(operation.input, input, `input of ${operation.subject}`);
  const attempts = operation.retry ? 2 : 1;
  for (let attempt = 1; ; attempt++) {
    const timeoutMs = Math.min(operation.timeoutMs, context.deadline - Date.now());
    if (timeoutMs <= 0) throw errors.timeout(operation.subject);
    // The attempt's own deadline: whoever gave it up may have asked again, and what is done after that would come late.
    const payload = encodeMessage({ ...context, deadline: Date.now() + timeoutMs, input });
    const options = { timeoutMs, gather: operation.gather ?? false, waits: !isPing(operation.subject) };
    const reply = await bus.request(operation.subject, payload, options).catch((error: unknown) => {
      const lost = error instanceof PerchError && error.code === 'TIMEOUT';
      if (!lost || attempt === attempts) throw error;
      return null;
    });
    if (reply !== null) return readReply(operation, decodeMessage(reply) as ReplyEnvelope);
  }
}

function readReply<O extends AnyOperation>(operation: O, reply: ReplyEnvelope): ReplyOf<O> {
  if (!reply.ok) {
    const { code, message, details, retryAfter, isRefusal = false } = reply.error;
    const extras = { details, isRefusal };
    throw new PerchError(code, message, retryAfter === null ? extras : { ...extras, retryAfter });
  }
  assertShape(operation.reply, reply.value, `reply of ${operation.subject}`);
  return reply.value as ReplyOf<O>;
}
