import { TypeCompiler } from '@sinclair/typebox/compiler';
import { LRUCache } from 'lru-cache';
import { errors } from '../../../../shared/errors.ts';
import { readBlob } from '../../../../shared/items/read-blob.ts';
import { SiteIndex } from '../../../../shared/items/site-index.ts';
import type { BlobStore } from '../../../../shared/ports/blob-store.ts';
import { createSingleFlight } from '../../../../shared/single-flight.ts';

export interface SiteIndexes {
  /** The place of each file of a site in its blob. Concurrent loads of one index are shared (single-flight). */
  read(indexKey: string): Promise<SiteIndex>;
}

/** Bytes of index text whose parsed form is kept in memory. */
const KEPT_BYTES = 16 * 1_048_576;

const isSiteIndex = TypeCompiler.Compile(SiteIndex);

/** Indexes are immutable: what is in memory is never stale. */
export function createSiteIndexes(blobs: BlobStore): SiteIndexes {
  const parsed = new LRUCache<string, { index: SiteIndex; bytes: number }>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ bytes }) => bytes + 512,
  });
  const share = createSingleFlight<SiteIndex>();

  const load = async (indexKey: string): Promise<SiteIndex> => {
    const bytes = await readBlob(blobs, indexKey);
    const index: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!isSiteIndex.Check(index)) throw errors.internal(new TypeError(`${indexKey} is no site index`));
    parsed.set(indexKey, { index, bytes: bytes.length });
    return index;
  };

  return {
    async read(indexKey) {
      return parsed.get(indexKey)?.index ?? (await share(indexKey, () => load(indexKey)));
    },
  };
}
