import { errors } from '../../../shared/errors.ts';
import { LIMITS } from '../../../shared/items/item.ts';

/** A value as the services take it. */
export interface EncodedValue {
  /** Its JSON text, without white space between its parts. */
  value: string;
  /** As its limit counts it (shapes.md, KV). */
  sizeBytes: number;
}

/** The parts of "JSON.parse source text access" (ECMAScript), which the compiler's library does not have yet. */
interface SourceTextJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}
const sourceText = JSON as unknown as SourceTextJson;

/**
 * Whether a text may have numbers that a double does not give back as they were written: with zeros at the end of a
 * fraction, an exponent, more digits than a double holds, a negative zero, or so small that an exponent would be
 * written. Says yes too often, such as for text within strings, but never no too often.
 */
const MAY_HAVE_ODD_NUMBERS = /\.\d*0(?!\d)|\d[eE]|[\d.]{16}|-0(?![.\d])|0\.000000/;

const keepNumber = (_key: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && String(value) !== source
    ? sourceText.rawJSON(source)
    : value;

/** What a JSON text says, with every number as it was written. For short texts: it takes ten times as long. */
export const parseExactly = (text: string): unknown => sourceText.parse(text, keepNumber);

/**
 * The member `value` of a JSON object, with every number as it was written. `parsed` is what the text says, read
 * plainly: reading it with the numbers' sources takes ten times as long, up to 100 ms for 1 MB of numbers, and few texts
 * need it.
 * @throws TOO_LARGE
 */
export function encodeValueOf(text: string, parsed: { value?: unknown }): EncodedValue {
  const hasOddNumbers = typeof parsed.value !== 'string' && MAY_HAVE_ODD_NUMBERS.test(text);
  const exact = hasOddNumbers ? (parseExactly(text) as { value?: unknown }) : parsed;
  const value = JSON.stringify(exact.value);
  const sizeBytes = Buffer.byteLength(typeof parsed.value === 'string' ? parsed.value : value);
  if (sizeBytes > LIMITS.kvValueBytes) throw valueTooLarge();
  return { value, sizeBytes };
}

export const valueTooLarge = () => errors.tooLarge('The value', LIMITS.kvValueBytes);
