import { randomBytes } from 'node:crypto';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import { readBody } from '../../admission/read-body.ts';
import { decodeJson, forEachNumber, jsonStructure, parseJsonObject } from '../../http/json.ts';
import type { RequestContext } from '../../http/request-context.ts';

/** A body of the KV routes. */
interface KvBody {
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
  if (jsonStructure(text.slice(outside.length)) > LIMITS.kvValueBytes + FIELDS_BYTES) throw valueTooLarge();
  const fields = parseJsonObject(text);
  return { fields, value: Object.hasOwn(fields, 'value') ? encodeValueOf(text, fields) : null };
}

/** The value that a PUT must have. @throws VALIDATION_FAILED without one */
export function requireValue({ value }: KvBody): EncodedValue {
  if (value === null) throw errors.validationFailed([VALUE_MISSING]);
  return value;
}

export const VALUE_MISSING = { field: 'value', message: 'is missing; send any JSON value.' };

/** A value as the services take it. */
interface EncodedValue {
  /** Its JSON text, without white space between its parts. */
  value: string;
  /** Bytes of the value as its limit counts them (specification 5.2). */
  sizeBytes: number;
}

/**
 * Whether a text may have numbers that a double does not give back as they were written: with zeros at the end of a
 * fraction, an exponent, more digits than a double holds, a negative zero, or so small that an exponent would be
 * written. Says yes too often, such as for text within strings, but never no too often.
 */
const MAY_HAVE_ODD_NUMBERS = /\.\d*0(?!\d)|\d[eE]|[\d.]{16}|-0(?![.\d])|0\.000000/;

const memberValue = (said: unknown): unknown => (said as { value?: unknown }).value;

/**
 * The member `value` of a JSON object, with every number as it was written. `parsed` is what the text says, read
 * plainly: few texts need more, and more takes ten times as long, 0.1 to 0.2 s for 1 MB of numbers.
 * @throws TOO_LARGE
 */
export function encodeValueOf(text: string, parsed: { value?: unknown }): EncodedValue {
  const hasOddNumbers = typeof parsed.value !== 'string' && MAY_HAVE_ODD_NUMBERS.test(text);
  const value = hasOddNumbers ? restateExactly(text, memberValue) : JSON.stringify(parsed.value);
  const sizeBytes = Buffer.byteLength(typeof parsed.value === 'string' ? parsed.value : value);
  if (sizeBytes > LIMITS.kvValueBytes) throw valueTooLarge();
  return { value, sizeBytes };
}

/** A JSON text laid out to be read, with every number as it was written. */
export const laidOut = (text: string): string =>
  MAY_HAVE_ODD_NUMBERS.test(text)
    ? restateExactly(text, (said) => said, 2)
    : JSON.stringify(JSON.parse(text), null, 2);

const valueTooLarge = () => errors.tooLarge('The value', LIMITS.kvValueBytes);

/**
 * Parses and serializes a JSON text, with every number as it was written. Takes ten times as long as a plain `JSON.parse`
 * and `JSON.stringify`.
 * @param text JSON that has been read before
 * @param pick the part of it to write
 */
function restateExactly(text: string, pick: (said: unknown) => unknown, indent = 0): string {
  // Numbers pass the parser as strings with a random mark, which the sender of the JSON cannot have guessed.
  const mark = randomBytes(9).toString('base64url');
  const restated = JSON.stringify(pick(JSON.parse(withMarkedNumbers(text, mark))), null, indent);
  return restated.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}

/** Turns the numbers of a JSON text that a double would not give back as they were written into marked strings. */
function withMarkedNumbers(text: string, mark: string): string {
  let marked = '';
  let copied = 0;
  forEachNumber(text, (number, start, end) => {
    if (String(Number(number)) === number) return;
    marked += `${text.slice(copied, start)}"${mark}${number}"`;
    copied = end;
  });
  return marked + text.slice(copied);
}
