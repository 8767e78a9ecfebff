import { readBlob } from '../../../shared/items/read-blob.ts';
import type { RouteOf } from '../../../shared/items/route.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import type { ByteCache } from './byte-cache.ts';
import { insertTopBar, type TopBar } from './top-bar.ts';

/** How a page is asked for: as people see it, with or without the top bar, or as it was stored. */
export type Variant = 'view' | 'bar' | 'raw';

export interface PageViews {
  /** The bytes of a page in a variant. */
  bytes(route: RouteOf<'html'>, variant: Variant): Promise<Uint8Array>;
  /** A text file as people see it: rendered, below the top bar. */
  textFile(route: RouteOf<'file'>): Promise<Uint8Array>;
}

/**
 * Page bytes from memory, keyed by their immutable blob, so that nothing is ever stale. The top bar is put in when
 * the cache is filled, not for every request. `baseUrl` is the service's own address, for the report link: a page may
 * be served from another host.
 */
export function createPageViews(blobs: BlobStore, cache: ByteCache, baseUrl: string): PageViews {
  const withTopBar = (route: RouteOf<'html' | 'file'>, viewKey: string, format: TopBar['format']) =>
    cache.get(`bar ${viewKey}`, async () => {
      const view = new TextDecoder().decode(await readBlob(blobs, viewKey));
      return new TextEncoder().encode(await insertTopBar(view, topBarOf(route, format, baseUrl)));
    });

  return {
    async bytes(route, variant) {
      const { blobKey, viewKey, format } = route.content;
      if (variant === 'bar') return await withTopBar(route, viewKey ?? blobKey, format);
      const key = variant === 'raw' ? blobKey : (viewKey ?? blobKey);
      return await cache.get(key, () => readBlob(blobs, key));
    },
    textFile: (route) => withTopBar(route, route.content.viewKey ?? route.content.blobKey, 'TEXT'),
  };
}

function topBarOf(route: RouteOf<'html' | 'file'>, format: TopBar['format'], baseUrl: string): TopBar {
  const { namespace, id, title, sizeBytes, expiresAt } = route;
  const address = `/${namespace}/${id}`;
  return {
    ...{ format, sizeBytes },
    title: title === '' ? id : title,
    downloadUrl: `${address}?dl=true`,
    rawUrl: `${address}?raw=true`,
    reportUrl: `${baseUrl}/report?item=${encodeURIComponent(`${namespace}/${id}`)}`,
    expiresAt: new Date(expiresAt),
  };
}
