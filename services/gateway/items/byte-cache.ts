import { LRUCache } from 'lru-cache';
import { createSingleFlight } from '../../../shared/single-flight.ts';

/** Immutable bytes kept in memory up to a total; equal loads at once share one. */
export interface ByteCache {
  /** Most bytes of one entry: what is larger would empty the cache for others. */
  readonly maxEntryBytes: number;
  get(key: string, load: () => Promise<Uint8Array>): Promise<Uint8Array>;
}

/** Share of the whole that one entry may take. */
const LARGEST_SHARE = 1 / 8;

/** `maxBytes` 0 keeps nothing. */
export function createByteCache(maxBytes: number): ByteCache {
  const maxEntryBytes = Math.floor(maxBytes * LARGEST_SHARE);
  const cached =
    maxEntryBytes === 0
      ? null
      : new LRUCache<string, Uint8Array>({
          maxSize: maxBytes,
          maxEntrySize: maxEntryBytes,
          sizeCalculation: (bytes) => bytes.length + 512,
        });
  const share = createSingleFlight<Uint8Array>();

  return {
    maxEntryBytes,
    async get(key, load) {
      const known = cached?.get(key);
      if (known !== undefined) return known;
      return await share(key, async () => {
        const bytes = await load();
        cached?.set(key, bytes);
        return bytes;
      });
    },
  };
}
