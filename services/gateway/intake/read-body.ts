import type { Exchange } from '../http/exchange.ts';
import {
  type BodyLimit,
  type BodyTimes,
  declaredLength,
  HELD_TIMES,
  openBody,
  SPOOLED_TIMES,
} from './body-reader.ts';
import { letGo } from './let-go.ts';
import type { MemoryBudget } from './memory-budget.ts';

export { type BodyLimit, type BodyTimes, HELD_TIMES } from './body-reader.ts';

/** A body announced as no larger than this is taken in one go, which costs half as much as reading it by pieces. */
const SMALL_BYTES = 65_536;

/**
 * Reads a whole body into memory, never more than the limit and never more than the budget has room for. Its room is
 * given back when the exchange ends; the time the client took is not counted against the exchange's deadline.
 * @throws the limit's error; VALIDATION_FAILED when the client broke off or took too long; UNAVAILABLE without room.
 */
export async function readBody(
  exchange: Exchange,
  limit: BodyLimit,
  budget: MemoryBudget,
  times: BodyTimes = HELD_TIMES,
): Promise<Uint8Array> {
  const body = openBody(exchange, limit, times);
  try {
    // Of unknown length it lies in memory twice for a moment, in pieces and whole.
    exchange.onEnd(await budget.acquire(body.declared ?? 2 * limit.bytes, exchange.clientKey));
    if (body.declared !== null && body.declared <= SMALL_BYTES) {
      const bytes = await body.all();
      exchange.restartDeadline();
      return bytes;
    }
    const collected = collect(body.declared);
    exchange.onEnd(() => letGo(collected.size()));
    for (let chunk = await body.next(); chunk !== null; chunk = await body.next()) collected.add(chunk);
    exchange.restartDeadline();
    return collected.bytes();
  } catch (error) {
    await body.cancel();
    throw error;
  }
}

/**
 * A body as it arrives, for those too large for memory: the client sends only as fast as it is read. Whoever stops
 * early lets go of the rest. At its end the exchange's deadline starts anew.
 * @throws while it is read, what `readBody` throws but UNAVAILABLE
 */
export async function* streamBody(
  exchange: Exchange,
  limit: BodyLimit,
  times: BodyTimes = SPOOLED_TIMES,
): AsyncGenerator<Uint8Array, void, void> {
  const body = openBody(exchange, limit, times);
  try {
    for (let chunk = await body.next(); chunk !== null; chunk = await body.next()) yield chunk;
    exchange.restartDeadline();
  } finally {
    await body.cancel();
  }
}

/**
 * Reads one file of a multipart body into memory, as `readBody` does a whole one.
 * @throws the limit's error; what reading the part throws; UNAVAILABLE without room.
 */
export async function readFilePart(
  exchange: Exchange,
  part: AsyncIterable<Uint8Array>,
  limit: BodyLimit,
  budget: MemoryBudget,
): Promise<Uint8Array> {
  const declared = declaredLength(exchange.request);
  const most = Math.min(declared ?? limit.bytes, limit.bytes);
  // Once as it comes, and once more on its way into the store.
  exchange.onEnd(await budget.acquire(2 * most, exchange.clientKey));
  const collected = collect(declared === null ? null : most);
  exchange.onEnd(() => letGo(collected.size()));
  let size = 0;
  for await (const chunk of part) {
    size += chunk.length;
    if (size > limit.bytes) throw limit.tooLarge();
    collected.add(chunk);
  }
  return collected.bytes();
}

/**
 * Puts chunks together. Where their sum is known beforehand they go to their place at once: a large body then takes
 * its own size, and not twice that when it is complete.
 * @param most of the bytes that will come, `null` when that is not known
 */
function collect(most: number | null) {
  const whole = most === null ? null : Buffer.allocUnsafeSlow(most);
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    add(chunk: Uint8Array): void {
      if (whole === null) chunks.push(chunk);
      else whole.set(chunk, size);
      size += chunk.length;
    },
    size: () => size,
    bytes: (): Uint8Array => (whole === null ? Buffer.concat(chunks, size) : whole.subarray(0, size)),
  };
}
