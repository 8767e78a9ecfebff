import { errors } from '../../../shared/errors.ts';
import {
  type BodyLimit,
  type BodyPace,
  type BodyReader,
  bodyIssue,
  expectedLength,
  HELD_PACE,
  openBody,
  SPOOLED_PACE,
} from '../http/body-reader.ts';
import { decodeJson, jsonStructure, parseJsonObject } from '../http/json.ts';
import type { RequestContext } from '../http/request-context.ts';
import { type FairBudget, holdFor } from './fair-budget.ts';
import { collectGarbageAfter, type MemoryBudget, SMALL_BODY_BYTES } from './memory-budget.ts';

/**
 * Reads a whole body into memory, never more than the limit and never more than the budget has room for. The body takes
 * room as it arrives, and gives it back when the context ends; the time the client took is not counted against the
 * context's deadline.
 * @throws the limit's error; VALIDATION_FAILED when the client broke off or is too slow; UNAVAILABLE without room.
 */
export async function readBody(
  context: RequestContext,
  limit: BodyLimit,
  budget: MemoryBudget,
  pace: BodyPace = HELD_PACE,
): Promise<Uint8Array> {
  const body = openBody(context, limit, pace);
  const { declared } = body;
  try {
    const isSmall = declared !== null && declared <= SMALL_BODY_BYTES;
    const bytes = await (isSmall
      ? readSmall(context, body, declared, budget.small)
      : readPieces(context, body, budget));
    context.restartDeadline();
    return bytes;
  } catch (error) {
    await body.cancel();
    throw error;
  }
}

/** Reads a body in one go, which costs half as much as reading it by pieces. */
async function readSmall(
  context: RequestContext,
  body: BodyReader,
  declared: number,
  budget: FairBudget,
): Promise<Uint8Array> {
  await holdFor(context, budget).take(declared);
  return await body.all();
}

/** Reads a body by pieces, with room for what has come. */
async function readPieces(
  context: RequestContext,
  body: BodyReader,
  budget: MemoryBudget,
): Promise<Uint8Array> {
  // A body of unknown length lies in memory twice for a moment, in pieces and whole.
  const takeRoom = growingRoom(context, budget, body.declared === null ? 2 : 1);
  const collected = collect(body.declared);
  context.onEnd(() => collectGarbageAfter(collected.size()));
  for (let chunk = await body.next(); chunk !== null; chunk = await body.next()) {
    collected.add(chunk);
    await takeRoom(chunk.length);
  }
  return collected.bytes();
}

/** Room for a body that grows; it is small until it shows that it is not. @param copies of it that are in memory */
export function growingRoom(context: RequestContext, budget: MemoryBudget, copies: number) {
  const [small, large] = [holdFor(context, budget.small), holdFor(context, budget.large)];
  let size = 0;
  return async (bytes: number): Promise<void> => {
    size += bytes;
    await (size <= SMALL_BODY_BYTES ? small : large).take(copies * bytes);
  };
}

/**
 * Streams a body that is too large for memory: the client sends only as fast as the caller reads (backpressure). A caller
 * that stops early cancels the rest. At the body's end the context's deadline is restarted.
 * @throws while it is read, what `readBody` throws but UNAVAILABLE
 */
export async function* streamBody(
  context: RequestContext,
  limit: BodyLimit,
  pace: BodyPace = SPOOLED_PACE,
): AsyncGenerator<Uint8Array, void, void> {
  const body = openBody(context, limit, pace);
  try {
    for (let chunk = await body.next(); chunk !== null; chunk = await body.next()) yield chunk;
    context.restartDeadline();
  } finally {
    await body.cancel();
  }
}

/**
 * Reads one file of a multipart body into memory, as `readBody` does a whole one.
 * @throws the limit's error; what reading the part throws; UNAVAILABLE without room.
 */
export async function readFilePart(
  context: RequestContext,
  part: AsyncIterable<Uint8Array>,
  limit: BodyLimit,
  budget: MemoryBudget,
): Promise<Uint8Array> {
  const declared = expectedLength(context.request);
  // Once as it comes, and once more on its way into the store.
  const takeRoom = growingRoom(context, budget, 2);
  const collected = collect(declared === null ? null : Math.min(declared, limit.bytes));
  context.onEnd(() => collectGarbageAfter(collected.size()));
  for await (const chunk of part) {
    if (collected.size() + chunk.length > limit.bytes) throw limit.tooLarge();
    collected.add(chunk);
    await takeRoom(chunk.length);
  }
  return collected.bytes();
}

/**
 * Concatenates chunks. Where the total size is known, one buffer of that size is allocated once half of the bytes are
 * here: a complete body then takes its own size instead of twice as much, and a stalled one at most twice the bytes
 * received.
 * @param maxBytes upper bound of the bytes that will come; `null` when it is not known
 */
function collect(maxBytes: number | null) {
  let whole: Buffer | null = null;
  let chunks: Uint8Array[] = [];
  let size = 0;
  return {
    add(chunk: Uint8Array): void {
      if (whole === null) chunks.push(chunk);
      else whole.set(chunk, size);
      size += chunk.length;
      if (whole !== null || maxBytes === null || 2 * size < maxBytes) return;
      whole = Buffer.allocUnsafeSlow(maxBytes);
      let end = 0;
      for (const earlier of chunks) {
        whole.set(earlier, end);
        end += earlier.length;
      }
      chunks = [];
    },
    size: () => size,
    bytes: (): Uint8Array => (whole === null ? Buffer.concat(chunks, size) : whole.subarray(0, size)),
  };
}

/** The limit of a body with our own fields, in bytes: a longer one is VALIDATION_FAILED. */
export const bodyUpTo = (bytes: number): BodyLimit => ({
  bytes,
  tooLarge: () => bodyIssue(`has at most ${bytes} bytes.`),
});

/** Limit of the body of an object with one or two short fields. */
export const FEW_FIELDS = bodyUpTo(4_096);

/** A body that is one of our own JSON objects. @throws JSON_INVALID */
export async function readJsonObject(
  context: RequestContext,
  limit: BodyLimit,
  budget: MemoryBudget,
): Promise<Record<string, unknown>> {
  return parseObject(await readBody(context, limit, budget));
}

/** Reads a body that is one of our own JSON objects, or none: without a body the object is empty. @throws JSON_INVALID */
export async function readOptionalJsonObject(
  context: RequestContext,
  limit: BodyLimit,
  budget: MemoryBudget,
): Promise<Record<string, unknown>> {
  if (context.request.body === null) return {};
  const bytes = await readBody(context, limit, budget);
  return bytes.length === 0 ? {} : parseObject(bytes);
}

/** Most characters outside of texts, white space not counted: our objects have a few fields. */
const MAX_STRUCTURE = 65_536;

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  const text = decodeJson(bytes);
  // Parsed, a body of brackets takes forty times its bytes, and seconds.
  if (jsonStructure(text) > MAX_STRUCTURE) throw errors.jsonInvalid('it has too much besides its texts');
  return parseJsonObject(text);
}

/** Room for every field of our forms. */
const FORM = bodyUpTo(65_536);

/** The fields of a form as browsers send it. @throws UNSUPPORTED_MEDIA_TYPE, VALIDATION_FAILED when it is too long */
export async function readForm(
  context: RequestContext,
  budget: MemoryBudget,
  pace?: BodyPace,
): Promise<URLSearchParams> {
  const type = context.contentType?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw errors.unsupportedMediaType('Send the fields as application/x-www-form-urlencoded.');
  }
  return new URLSearchParams(new TextDecoder().decode(await readBody(context, FORM, budget, pace)));
}
