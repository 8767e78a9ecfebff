import { LIMITS } from '../items/item.ts';
import { isLine, isLongerThan } from './line.ts';

/** The reason why a text cannot be the name of a key (specification 5.2), or `null` when it can. */
export function issueOfKeyName(key: string): string | null {
  if (key === '' || isLongerThan(key, LIMITS.kvKeyCharacters)) {
    return `has 1 to ${LIMITS.kvKeyCharacters} characters.`;
  }
  if (key.includes('/')) return 'must not contain a slash.';
  if (!isLine(key)) return 'must not contain control characters.';
  // Every client takes them, also when percent-encoded, for steps within the path (URL standard).
  if (key === '.' || key === '..') return 'must not be "." or "..": no address can end with them.';
  return null;
}
