import { LIMITS } from '../../../shared/items/item.ts';
import { ITEM_ID, NAMESPACE } from '../items/item-address.ts';

/** One character on a line: neither a control character nor half of a surrogate pair (`isLine` of `http/text.ts`). */
const ON_A_LINE = '[^\\p{Cc}\\p{Cs}]';
const VISIBLE = '[^\\s\\p{Cc}\\p{Cs}]';
const TAG = `[^,\\p{Cc}\\p{Cs}]{0,${LIMITS.tagCharacters}}`;

/** Whole values of texts, as sources of regular expressions with the flag `u`, as JSON Schema asks for. */
export const CHARACTERS = {
  namespace: NAMESPACE.source,
  id: ITEM_ID.source,
  line: `^${ON_A_LINE}*$`,
  /** Text of any lines (`http/text.ts`). */
  storable: '^[^\\u0000\\p{Cs}]*$',
  /** One line without white space at its ends, or nothing. */
  password: `^(?:${VISIBLE}(?:${ON_A_LINE}*${VISIBLE})?)?$`,
  filename: '^[^/\\\\\\p{Cc}\\p{Cs}]*$',
  key: '^[^/\\p{Cc}\\p{Cs}]+$',
  tags: `^${TAG}(?:,${TAG})*$`,
  /** Days from 1 to 30, as `uploads/create-parameters.ts` takes them. */
  days: '^\\s*(?:0{0,2}[1-9]|0?[12]\\d|0?30)(?:\\s{0,20}[dD](?:[aA][yY][sS]?)?)?\\s*$',
} as const;

/** Schema of the text of a page: it has something to see. */
export const PAGE_TEXT = { minLength: 1, pattern: CHARACTERS.storable, not: { pattern: '^\\s*$' } };

/** Schema of a key: no address can end with `.` or `..` (`kinds/kv/key.ts`). */
export const KEY_NAME = {
  minLength: 1,
  maxLength: LIMITS.kvKeyCharacters,
  pattern: CHARACTERS.key,
  not: { enum: ['.', '..'] },
};

/** A pattern without its anchors. */
export const bare = (pattern: string): string => pattern.replace(/^\^|\$$/g, '');

/** Extends a pattern: it also matches the empty text, and text that has what `around` matches before and behind it. */
export const orBlank = (pattern: string, around = ''): string => `^${around}(?:${bare(pattern)})?${around}$`;
