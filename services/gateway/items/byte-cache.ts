import { LRUCache } from 'lru-cache';
import { createSingleFlight } from '../../../shared/single-flight.ts';
import { type Compressed, compress } from '../http/compress.ts';
import type { Coding } from '../http/content-coding.ts';

/** An in-memory LRU cache of immutable bytes up to a total; concurrent loads of a key share one (single-flight). */
export interface ByteCache {
  /** Most bytes of one entry: a larger one would evict too many others. */
  readonly maxEntryBytes: number;
  get(key: string, load: () => Promise<Uint8Array>): Promise<Uint8Array>;
  /**
   * The compressed form of the bytes behind a key: made once, and kept beside them.
   * @param plain these bytes; `null`: they cannot be had now
   */
  compressed(key: string, coding: Coding, plain: () => Promise<Uint8Array | null>): Promise<Compressed>;
}

/** Largest share of the cache that one entry may take. */
const MAX_SHARE = 1 / 8;

/** Kept in place of a compressed form that would not pay. */
const NOT_WORTH = new Uint8Array();

/** @param maxBytes size of the whole cache; 0: nothing is cached */
export function createByteCache(maxBytes: number): ByteCache {
  const maxEntryBytes = Math.floor(maxBytes * MAX_SHARE);
  const cached =
    maxEntryBytes === 0
      ? null
      : new LRUCache<string, Uint8Array>({
          maxSize: maxBytes,
          maxEntrySize: maxEntryBytes,
          sizeCalculation: (bytes) => bytes.length + 512,
        });
  const share = createSingleFlight<Uint8Array>();
  const shareCompressed = createSingleFlight<Compressed>();

  const make = async (
    key: string,
    coding: Coding,
    plain: () => Promise<Uint8Array | null>,
  ): Promise<Compressed> => {
    const bytes = await plain();
    if (bytes === null) return 'busy';
    // Bytes that are not kept would be compressed for every request.
    if (bytes.length > maxEntryBytes) return 'not-worth';
    const made = await compress(bytes, coding);
    if (made !== 'busy') cached?.set(key, made === 'not-worth' ? NOT_WORTH : made);
    return made;
  };

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
    async compressed(key, coding, plain) {
      if (cached === null) return 'not-worth';
      const formKey = `${key} ${coding}`;
      const known = cached.get(formKey);
      if (known !== undefined) return known === NOT_WORTH ? 'not-worth' : known;
      return await shareCompressed(formKey, () => make(formKey, coding, plain));
    },
  };
}
