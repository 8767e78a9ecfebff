import type { PageFormat } from '../../../shared/items/content.ts';
import { etagOf } from '../../../shared/items/etag.ts';
import type { ItemRecordOf } from '../../../shared/items/item-record.ts';
import { readBlob } from '../../../shared/items/read-blob.ts';
import { readRendering } from '../../../shared/items/read-rendering.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import type { Coding } from '../http/content-coding.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { ByteCache } from '../items/byte-cache.ts';
import { isListed } from '../items/content-headers.ts';
import type { ReadDependencies } from '../items/dependencies.ts';
import { previewUrl } from '../items/item-address.ts';
import type { TopBar } from '../pages/top-bar.ts';
import { insertTopBar } from './insert-top-bar.ts';
import { insertMetaTags } from './page-head.ts';
import { insertDiagrams, insertLineLinks } from './rendering-scripts.ts';
import { insertTextActions } from './text-actions.ts';

/** How a page is asked for: as people see it, with or without the top bar, or as it was stored. */
export type Variant = 'view' | 'bar' | 'raw';

export interface RenderedPages {
  /** The bytes of a page in a variant, compressed if that pays. */
  page(
    record: ItemRecordOf<'html'>,
    variant: Variant,
    coding: Coding | null,
    place: PagePlace,
  ): Promise<PageForm>;
  /** A text file as people see it: rendered, below the top bar. Markdown is a page, or its source. */
  textFile(
    record: ItemRecordOf<'file'>,
    form: TextForm,
    coding: Coding | null,
    place: PagePlace,
  ): Promise<PageForm>;
}

/** Dependencies of an endpoint that shows pages as people see them. */
export interface PageDependencies extends ReadDependencies {
  renderedPages: RenderedPages;
}

/** Which rendering of a text file, and the way to another view of it. */
export interface TextForm {
  readonly isSource: boolean;
  readonly other: TopBar['other'];
}

/** The service's address, for pages on the item's own host, where links to the service are absolute; `null` on other hosts. */
type PagePlace = string | null;

export const placeOf = ({ itemHost, baseUrl }: Pick<RequestContext, 'itemHost' | 'baseUrl'>): PagePlace =>
  itemHost === null ? null : baseUrl;

/** The bytes of a page as they travel. */
interface PageForm {
  bytes: Uint8Array;
  coding: Coding | null;
  /** Whether later reads get this form, too: not while too much else is being compressed. */
  isFinal: boolean;
}

/**
 * Most bytes of a page that gets a top bar and tags: the cache keeps no longer one, which would be made anew for each reader. `content` renders
 * up to 12 MB; earlier releases rendered more.
 */
const MAX_DRESSED_BYTES = 13 * 1_048_576;

interface RenderedPageOptions {
  /** The service's own address, for the report link: a page may be served from another host. `null`: the page's own host. */
  baseUrl: string | null;
  /**
   * Where search engines are to know the items. `null`: not known; then the canonical link is a path, as a page is kept for
   * all readers, by whichever address the first one came.
   */
  itemsUrl: string | null;
}

/**
 * Page bytes from memory, keyed by their immutable blob, so that nothing is ever stale. The top bar, what
 * is done with texts, the id of a rendering without a title, and the meta tags of listed pages, are put in when the cache is filled, not for every request.
 */
export function createRenderedPages(
  blobs: BlobStore,
  cache: ByteCache,
  { baseUrl, itemsUrl }: RenderedPageOptions,
): RenderedPages {
  const read = ({ content, sizeBytes }: ItemRecordOf<'html' | 'file'>, key: string) =>
    key === content.blobKey ? readBlob(blobs, key, sizeBytes) : readRendering(blobs, key);
  const formOf = async (
    key: string,
    coding: Coding | null,
    load: () => Promise<Uint8Array>,
  ): Promise<PageForm> => {
    // One that is too large for the cache is read once all the same.
    let loading: Promise<Uint8Array> | undefined;
    const plain = () => (loading ??= cache.get(key, load));
    const made = coding === null ? 'not-worth' : await cache.compressed(key, coding, plain);
    if (made instanceof Uint8Array) return { bytes: made, coding, isFinal: true };
    return { bytes: await plain(), coding: null, isFinal: made !== 'busy' };
  };

  const dressed = (
    record: ItemRecordOf<'html' | 'file'>,
    variant: Variant,
    format: PageFormat,
    coding: Coding | null,
    place: PagePlace,
    { part, other }: { part?: 'page' | 'source'; other?: TopBar['other'] } = {},
  ) => {
    const { blobKey, viewKey } = record.content;
    const key = viewKey ?? blobKey;
    // A renewal changes the expiry in the bar, an update may change the title alone.
    const name = `${variant} ${part ?? ''} ${key} ${record.version}`;
    return formOf(place === null ? name : `${name} ${place}`, coding, async () => {
      const stored = partOf(record, part, await read(record, key));
      if (stored.length > MAX_DRESSED_BYTES) return stored;
      let view = new TextDecoder().decode(stored);
      if (isListed(record))
        view = insertMetaTags(view, metaOf(record, place), format === 'TEXT' ? 'code' : 'p');
      if (record.title === '' && format !== 'HTML') view = entitled(view, record.id);
      if (format === 'TEXT') view = insertTextActions(insertLineLinks(view), variant === 'bar');
      if (format === 'MARKDOWN') view = insertDiagrams(view, place);
      if (variant === 'bar')
        view = insertTopBar(view, { ...topBarOf(record, format, baseUrl, place), other });
      return new TextEncoder().encode(view);
    });
  };

  const metaOf = ({ namespace, id, title }: ItemRecordOf<'html' | 'file'>, place: PagePlace) => ({
    // On a host of the item's own that path leads nowhere.
    url: itemsUrl === null && place !== null ? null : `${itemsUrl ?? ''}/${namespace}/${id}`,
    title: title === '' ? id : title,
    imageUrl: baseUrl === null ? undefined : previewUrl(baseUrl, { namespace, id }),
  });

  return {
    async page(record, variant, coding, place) {
      const { blobKey, viewKey, format } = record.content;
      if (variant === 'bar' || (variant === 'view' && (isListed(record) || format !== 'HTML')))
        return await dressed(record, variant, format, coding, place);
      const key = variant === 'raw' ? blobKey : (viewKey ?? blobKey);
      return await formOf(key, coding, () => read(record, key));
    },
    textFile(record, { isSource, other }, coding, place) {
      const part = isSource ? 'source' : 'page';
      return dressed(record, 'bar', isSource ? 'TEXT' : 'MARKDOWN', coding, place, { part, other });
    },
  };
}

/** Calls a rendering without a title by its id, which `content` does not know when it renders. */
const entitled = (view: string, id: string): string =>
  view
    .replace('<title>Untitled</title>', `<title>${id}</title>`)
    .replace('<main class="file">\n<header>', `$&<h1>${id}</h1>`);

/** One of the two renderings that the blob of a markdown file has. */
function partOf(
  { content }: ItemRecordOf<'html' | 'file'>,
  part: 'page' | 'source' | undefined,
  bytes: Uint8Array,
): Uint8Array {
  if (part === undefined || !('sourceAt' in content) || content.sourceAt === undefined) return bytes;
  return part === 'page' ? bytes.subarray(0, content.sourceAt) : bytes.subarray(content.sourceAt);
}

function topBarOf(
  record: ItemRecordOf<'html' | 'file'>,
  format: PageFormat,
  baseUrl: string | null,
  place: PagePlace,
): TopBar {
  const { namespace, id, title, sizeBytes, expiresAt } = record;
  const address = place === null ? `/${namespace}/${id}` : '/';
  return {
    format,
    sizeBytes,
    title: title === '' ? id : title,
    downloadUrl: `${address}?dl=true`,
    rawUrl: `${address}?raw=true`,
    reportUrl: `${place ?? baseUrl ?? ''}/report?item=${encodeURIComponent(`${namespace}/${id}`)}`,
    expiresAt: new Date(expiresAt),
    version: liveVersion(record),
  };
}

/**
 * Names a version of an item as its readers see it: the id of its events, which the page's top bar compares with its own. A
 * renewal does not change it.
 */
export const liveVersion = ({ updatedAt, content }: ItemRecordOf<'html' | 'file'>): string =>
  `${updatedAt.toString(36)}-${etagOf(content).slice(0, 12)}`;
