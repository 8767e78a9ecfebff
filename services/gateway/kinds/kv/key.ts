import { LIMITS } from '../../../../shared/items/item.ts';
import { isLine, isLongerThan } from '../../http/parameters.ts';

/** What keeps a text from being a key (specification 5.2); `null`: nothing does. */
export function issueOfKey(key: unknown): string | null {
  if (key === undefined || key === null) return 'is missing; send the name of the key as text.';
  if (typeof key !== 'string') return 'must be text.';
  if (key === '' || isLongerThan(key, LIMITS.kvKeyCharacters)) {
    return `has 1 to ${LIMITS.kvKeyCharacters} characters.`;
  }
  if (key.includes('/')) return 'must not contain a slash.';
  if (!isLine(key)) return 'must not contain control characters.';
  // Every client takes them, also when percent-encoded, for steps within the path (URL standard).
  if (key === '.' || key === '..') return 'must not be "." or "..": no address can end with them.';
  return null;
}

/** Whether a store can have a key of that name. */
export const isKey = (key: string): boolean => issueOfKey(key) === null;
