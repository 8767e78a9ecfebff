import { LRUCache } from 'lru-cache';

type CachedBytes = Uint8Array | Blob;

/** Immutable bytes kept in memory up to a total; equal loads at once share one. */
export interface ByteCache {
  /** Most bytes of one entry: what is larger would empty the cache for others. */
  readonly maxEntryBytes: number;
  /** Each key is always asked for in the same form. A Blob is sent without being copied first. */
  get<Bytes extends CachedBytes>(key: string, load: () => Promise<Bytes>): Promise<Bytes>;
}

/** Share of the whole that one entry may take. */
const LARGEST_SHARE = 1 / 8;

/** `maxBytes` 0 keeps nothing. */
export function createByteCache(maxBytes: number): ByteCache {
  const maxEntryBytes = Math.floor(maxBytes * LARGEST_SHARE);
  const cached =
    maxEntryBytes === 0
      ? null
      : new LRUCache<string, CachedBytes>({
          maxSize: maxBytes,
          maxEntrySize: maxEntryBytes,
          sizeCalculation: (bytes) => (bytes instanceof Blob ? bytes.size : bytes.length) + 512,
        });
  const loading = new Map<string, Promise<CachedBytes>>();

  return {
    maxEntryBytes,
    async get<Bytes extends CachedBytes>(key: string, load: () => Promise<Bytes>) {
      const known = cached?.get(key) ?? loading.get(key);
      if (known !== undefined) return (await known) as Bytes;
      const answer = load()
        .then((bytes) => {
          cached?.set(key, bytes);
          return bytes;
        })
        .finally(() => loading.delete(key));
      loading.set(key, answer);
      return await answer;
    },
  };
}
