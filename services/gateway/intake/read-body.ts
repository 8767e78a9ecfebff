import { errors, type PerchError } from '../../../shared/errors.ts';
import type { MemoryBudget } from './memory-budget.ts';

export interface BodyLimit {
  /** Most bytes that are read. */
  bytes: number;
  tooLarge(): PerchError;
}

/**
 * Reads a whole body into memory, never more than the limit and never more than the budget has room for.
 * @throws the limit's error; VALIDATION_FAILED when the client broke off; UNAVAILABLE when there is no room.
 */
export async function readBody(
  request: Request,
  limit: BodyLimit,
  budget: MemoryBudget,
): Promise<Uint8Array> {
  assertIdentityEncoding(request);
  const declared = declaredLength(request);
  if (declared !== null && declared > limit.bytes) throw limit.tooLarge();
  const release = await budget.acquire(declared ?? limit.bytes);
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of request.body ?? []) {
      size += chunk.length;
      if (size > limit.bytes) throw limit.tooLarge();
      chunks.push(chunk);
    }
    if (request.signal.aborted || (declared !== null && size !== declared)) throw brokenOff();
    return Buffer.concat(chunks, size);
  } catch (error) {
    throw request.signal.aborted ? brokenOff() : error;
  } finally {
    release();
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

function brokenOff(): PerchError {
  return errors.validationFailed([
    { field: 'body', message: 'ended before it was complete; send it again.' },
  ]);
}
