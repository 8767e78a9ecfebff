import { LRUCache } from 'lru-cache';
import { createSingleFlight } from '../../../shared/single-flight.ts';

/** An in-memory LRU cache of immutable bytes up to a total; concurrent loads of a key share one (single-flight). */
export interface ByteCache {
  /** Most bytes of one entry: a larger one would evict too many others. */
  readonly maxEntryBytes: number;
  get(key: string, load: () => Promise<Uint8Array>): Promise<Uint8Array>;
}

/** Largest share of the cache that one entry may take. */
const LARGEST_SHARE = 1 / 8;

/** @param maxBytes size of the whole cache; 0: nothing is cached */
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
