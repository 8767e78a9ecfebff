import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import { readBody } from '../../admission/read-body.ts';
import { assertJsonDepth } from '../../http/json-depth.ts';
import { decodeJson, parseJsonObject } from '../../http/json-text.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type EncodedValue, encodeValueOf, valueTooLarge } from './value.ts';

/** A body of the KV routes. */
export interface KvBody {
  /** All its members, read plainly. */
  fields: Record<string, unknown>;
  /** `null` when the body has no member `value`. */
  value: EncodedValue | null;
}

/** A character of a value takes at most six in JSON (`\u0001`); the rest is room for the other fields. */
const FIELDS_BYTES = 65_536;
const ENVELOPE_BYTES = 6 * LIMITS.kvValueBytes + FIELDS_BYTES;

/**
 * Reads a JSON object with a value in it, whatever its Content-Type says.
 * @throws JSON_INVALID, also for a value nested deeper than a JSON document may be; TOO_LARGE
 */
export async function readKvBody(context: RequestContext, budget: MemoryBudget): Promise<KvBody> {
  const limit = { bytes: ENVELOPE_BYTES, tooLarge: valueTooLarge };
  return parseKvBody(await readBody(context, limit, budget));
}

/** A body of the KV routes that has been read. @throws what `readKvBody` throws but for reading */
export function parseKvBody(bytes: Uint8Array): KvBody {
  if (bytes.length === 0) throw errors.jsonInvalid('it is empty');
  const text = decodeJson(bytes);
  const [outside = ''] = /^\s*\{?/.exec(text) ?? [];
  // Reading numbers exactly is slow: what cannot fit is refused before that.
  if (assertJsonDepth(text.slice(outside.length)) > LIMITS.kvValueBytes + FIELDS_BYTES) throw valueTooLarge();
  const fields = parseJsonObject(text);
  return { fields, value: Object.hasOwn(fields, 'value') ? encodeValueOf(text, fields) : null };
}

/** The value that a PUT must have. @throws VALIDATION_FAILED without one */
export function requireValue({ value }: KvBody): EncodedValue {
  if (value === null) throw errors.validationFailed([VALUE_MISSING]);
  return value;
}

export const VALUE_MISSING = { field: 'value', message: 'is missing; send any JSON value.' };
