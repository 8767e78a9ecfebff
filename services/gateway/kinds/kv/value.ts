import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { restateExactly } from './exact-json.ts';

/** A value as the services take it. */
export interface EncodedValue {
  /** Its JSON text, without white space between its parts. */
  value: string;
  /** As its limit counts it (specification 5.2). */
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

export const valueTooLarge = () => errors.tooLarge('The value', LIMITS.kvValueBytes);
