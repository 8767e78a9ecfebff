import { LRUCache } from 'lru-cache';
import { readBlob } from '../../../shared/items/read-blob.ts';
import type { LiveRoute } from '../../../shared/items/route.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import { insertTopBar } from './top-bar.ts';

/** How a page is asked for: as people see it, with or without the top bar, or as it was stored. */
export type Variant = 'view' | 'bar' | 'raw';

export interface PageViews {
  /** The bytes of a page in a variant. Equal loads at once share one. */
  bytes(route: LiveRoute, variant: Variant): Promise<Uint8Array>;
}

export interface PageViewsOptions {
  /** Bytes kept in memory; 0 keeps none. */
  maxBytes: number;
  /** The service's own address, for the report link: a page may be served from another host. */
  baseUrl: string;
}

/** Most bytes of one entry: what is larger is read from the store each time, so that it does not empty the cache. */
const LARGEST_SHARE = 1 / 8;

/**
 * Page bytes from memory, keyed by their immutable blob, so that nothing is ever stale. The top bar is put in when
 * the cache is filled, not for every request.
 */
export function createPageViews(blobs: BlobStore, options: PageViewsOptions): PageViews {
  const { maxBytes } = options;
  const cached =
    maxBytes === 0
      ? null
      : new LRUCache<string, Uint8Array>({
          maxSize: maxBytes,
          maxEntrySize: Math.ceil(maxBytes * LARGEST_SHARE),
          sizeCalculation: (bytes) => bytes.length + 512,
        });
  const loading = new Map<string, Promise<Uint8Array>>();

  return {
    async bytes(route, variant) {
      const key = `${variant} ${route.page.blobKey}`;
      const known = cached?.get(key) ?? loading.get(key);
      if (known !== undefined) return await known;
      const load = loadBytes(blobs, route, variant, options.baseUrl)
        .then((bytes) => {
          cached?.set(key, bytes);
          return bytes;
        })
        .finally(() => loading.delete(key));
      loading.set(key, load);
      return await load;
    },
  };
}

async function loadBytes(
  blobs: BlobStore,
  route: LiveRoute,
  variant: Variant,
  baseUrl: string,
): Promise<Uint8Array> {
  const { page, namespace, id, expiresAt } = route;
  if (variant === 'raw') return await readBlob(blobs, page.blobKey);
  const view = await readBlob(blobs, page.viewKey ?? page.blobKey);
  if (variant === 'view') return view;
  const address = `/${namespace}/${id}`;
  const document = await insertTopBar(new TextDecoder().decode(view), {
    title: page.title === '' ? id : page.title,
    format: page.format,
    downloadUrl: `${address}?dl=true`,
    rawUrl: `${address}?raw=true`,
    reportUrl: `${baseUrl}/report?item=${encodeURIComponent(`${namespace}/${id}`)}`,
    expiresAt: new Date(expiresAt),
  });
  return new TextEncoder().encode(document);
}
