import { within } from '../../../shared/deadline.ts';
import { errors, type PerchError } from '../../../shared/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { MemoryBudget } from './memory-budget.ts';

/** Longest a client may take to send a body, in ms. */
const UPLOAD_LIMIT_MS = 300_000;

export interface BodyLimit {
  /** Most bytes that are read. */
  bytes: number;
  tooLarge(): PerchError;
}

/**
 * Reads a whole body into memory, never more than the limit and never more than the budget has room for. Its room is
 * given back when the exchange ends; the time the client took is not counted against the exchange's deadline.
 * @throws the limit's error; VALIDATION_FAILED when the client broke off or took too long; UNAVAILABLE without room.
 */
export async function readBody(
  exchange: Exchange,
  limit: BodyLimit,
  budget: MemoryBudget,
): Promise<Uint8Array> {
  const { request } = exchange;
  assertIdentityEncoding(request);
  const declared = declaredLength(request);
  if (declared !== null && declared > limit.bytes) throw limit.tooLarge();
  exchange.onEnd(await budget.acquire(declared ?? limit.bytes));
  const reader = request.body?.getReader();
  try {
    const body =
      reader === undefined
        ? new Uint8Array()
        : await within(readAll(reader, limit), UPLOAD_LIMIT_MS, tooSlow);
    if (request.signal.aborted || (declared !== null && body.length !== declared)) throw brokenOff();
    exchange.restartDeadline();
    return body;
  } catch (error) {
    await reader?.cancel().catch(() => undefined);
    throw request.signal.aborted ? brokenOff() : error;
  }
}

async function readAll(
  reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>,
  limit: BodyLimit,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks, size);
    size += value.length;
    if (size > limit.bytes) throw limit.tooLarge();
    chunks.push(value);
  }
}

function declaredLength(request: Request): number | null {
  const header = request.headers.get('content-length');
  return header === null ? null : Number(header);
}

function assertIdentityEncoding(request: Request): void {
  const encoding = request.headers.get('content-encoding');
  if (encoding === null || encoding.trim().toLowerCase() === 'identity') return;
  throw errors.unsupportedMediaType(
    `Content-Encoding "${encoding.slice(0, 40)}" is not supported: send the body as it is.`,
  );
}

function tooSlow(): PerchError {
  return errors.validationFailed([
    { field: 'body', message: `took longer than ${UPLOAD_LIMIT_MS / 60_000} minutes to arrive.` },
  ]);
}

function brokenOff(): PerchError {
  return errors.validationFailed([
    { field: 'body', message: 'ended before it was complete; send it again.' },
  ]);
}
