import { LRUCache } from 'lru-cache';

/** Of base addresses: one where BASE_URL is set, else those that requests come by, of which anybody can make up more. */
const MOST_KEPT = 8;

/**
 * Makes a thing that has the base address in it once for each address, and keeps it for the next who come by that one.
 * @param most things that are kept
 */
export function byBaseUrl<T extends object>(
  make: (baseUrl: string) => T,
  most = MOST_KEPT,
): (baseUrl: string) => T {
  const made = new LRUCache<string, T>({ max: most });
  return (baseUrl) => {
    const known = made.get(baseUrl);
    if (known !== undefined) return known;
    const one = make(baseUrl);
    made.set(baseUrl, one);
    return one;
  };
}

/** Stands for the base address in what is made for all who come by whatever address. No host can have this name (RFC 6761). */
export const ANY_BASE_URL = 'http://base-url.invalid';

/** A text that was made with `ANY_BASE_URL`, for those who come by one address. */
export const withBaseUrl = (text: string, baseUrl: string): string => text.replaceAll(ANY_BASE_URL, baseUrl);
