import type { ValueChange } from '../../shared/contracts/kv.ts';
import { errors } from '../../shared/errors.ts';
import { LIMITS } from '../../shared/items/item.ts';

/** The part of a value that a change of it depends on. */
export interface ValueBefore {
  /** JSON text of a short value; of a longer one its first character. */
  head: string;
  sizeBytes: number;
}

/** How a value is written: whole, or as what takes the place of the last character of the one that is there. */
export type ValueText = { whole: string } | { tail: string };

export interface ChangedValue {
  sizeBytes: number;
  /** The number after an increment; `null` after all else. */
  number: number | null;
}

/** A value while changes are applied to it one after the other. */
export interface ChangingValue {
  /** Applies a change. @throws VALUE_MISMATCH, TOO_LARGE; the value is then as before */
  apply(change: ValueChange): ChangedValue;
  text(): ValueText;
}

/** Values up to this size, in bytes of JSON text, are read whole; a longer number is not taken for a whole one. */
export const SHORT_VALUE_BYTES = 64;

/** A number as JSON may have it: its fraction without the zeros at the end, and its exponent when that is not negative. */
const NUMBER = /^-?\d+(?:\.(\d*?)0*)?(?:[eE]\+?(\d+))?$/;

/** @param before `null`: the key is not there; then it becomes a number from 0, or a list */
export function createChangingValue(before: ValueBefore | null): ChangingValue {
  let number = before === null ? 0 : numberOf(before);
  let sizeBytes = before?.sizeBytes ?? 0;
  /** Decides which changes fit; `null`: a key that is not there takes any as its first. */
  let form = formOf(before);
  const parts: string[] = [];

  const increment = (by: number): void => {
    if ((form !== 'number' && form !== null) || number === null) throw errors.notAWholeNumber();
    const next = number + by;
    if (!Number.isSafeInteger(next)) throw errors.numberTooLarge();
    form = 'number';
    number = next;
    sizeBytes = String(next).length;
  };
  const append = (value: string, valueBytes: number): void => {
    const isText = value.startsWith('"');
    if (form !== null && form !== 'list' && !(form === 'text' && isText)) throw errors.notAppendable();
    if (form === 'text') {
      grow(value.slice(1, -1), sizeBytes + valueBytes);
    } else {
      const size = form === null ? EMPTY_LIST_BYTES : sizeBytes;
      const part = size === EMPTY_LIST_BYTES ? value : `,${value}`;
      grow(part, size + Buffer.byteLength(part));
      form = 'list';
    }
  };
  const grow = (part: string, size: number): void => {
    if (size > LIMITS.kvValueBytes) throw errors.tooLarge('The value', LIMITS.kvValueBytes);
    parts.push(part);
    sizeBytes = size;
  };

  return {
    apply(change) {
      if (change.kind === 'append') append(change.value, change.sizeBytes);
      else increment(change.by);
      return { sizeBytes, number: change.kind === 'increment' ? number : null };
    },
    text() {
      if (form === 'number') return { whole: String(number) };
      const tail = `${parts.join('')}${form === 'text' ? '"' : ']'}`;
      return before === null ? { whole: `[${tail}` } : { tail };
    },
  };
}

const EMPTY_LIST_BYTES = 2;

/** The whole number that a value is, if a double holds it exactly. */
function numberOf({ head, sizeBytes }: ValueBefore): number | null {
  const parts = sizeBytes > SHORT_VALUE_BYTES ? null : NUMBER.exec(head);
  if (parts === null) return null;
  const [, fraction = '', exponent = '0'] = parts;
  const number = Number(head);
  return fraction.length <= Number(exponent) && Number.isSafeInteger(number) ? number : null;
}

function formOf(before: ValueBefore | null): 'number' | 'text' | 'list' | 'other' | null {
  if (before === null) return null;
  if (before.head.startsWith('[')) return 'list';
  if (before.head.startsWith('"')) return 'text';
  return numberOf(before) === null ? 'other' : 'number';
}
