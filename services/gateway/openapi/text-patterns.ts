import { LIMITS } from '../../../shared/items/item.ts';
import { ITEM_ID, NAMESPACE } from '../items/item-address.ts';

/** Control characters, as a part of a class: by their numbers, because many tools know no categories of Unicode. */
const CONTROLS = '\\x00-\\x1f\\x7f-\\x9f';
const ON_A_LINE = `[^${CONTROLS}]`;
const VISIBLE = `[^\\s${CONTROLS}]`;
const TAG = `[^,${CONTROLS}]{0,${LIMITS.tagCharacters}}`;

/**
 * Whole values of texts, as sources of regular expressions that mean the same in all languages, and in JavaScript with the
 * flag `u` and without. Halves of surrogate pairs, which the service refuses, match: few languages can name them.
 */
export const CHARACTERS = {
  namespace: NAMESPACE.source,
  id: ITEM_ID.source,
  /** One line (`isLine` of `http/text.ts`). */
  line: `^${ON_A_LINE}*$`,
  /** One line with something to see. */
  visibleLine: `^${ON_A_LINE}*${VISIBLE}${ON_A_LINE}*$`,
  /** Text of any lines (`http/text.ts`). */
  storable: '^[^\\x00]*$',
  /** One line without white space at its ends, or nothing. */
  password: `^(?:${VISIBLE}(?:${ON_A_LINE}*${VISIBLE})?)?$`,
  filename: `^[^/\\\\${CONTROLS}]*$`,
  key: `^[^/${CONTROLS}]+$`,
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
