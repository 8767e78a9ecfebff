import type { ContentOf, FileContent, HtmlContent, JsonContent, SiteContent } from '../items/content.ts';
import type { Kind } from '../items/item.ts';
import { openPart } from '../items/read-blob.ts';
import { readSiteIndex } from '../items/site-index.ts';
import type { BlobStore, ByteRange } from '../ports/blob-store.ts';

/** One thing to look through: the content of an item, or one file of a site. */
export interface ContentPart {
  /** Within its site; `null`: it is the item's own content. */
  path: string | null;
  contentType: string;
  /** Reads its bytes anew. @throws UNAVAILABLE */
  read(): AsyncIterable<Uint8Array>;
}

/** The type that a text was sent with, such as XML, which browsers show as a page. */
const typeOf = ({ format, contentType }: HtmlContent): string =>
  format === 'TEXT' ? contentType : { HTML: 'text/html', MARKDOWN: 'text/markdown' }[format];

/** The parts of an item's content: all that anybody may be given of it. A store has none. @throws UNAVAILABLE */
export async function contentParts(
  blobs: BlobStore,
  kind: Kind,
  content: ContentOf[Kind],
): Promise<ContentPart[]> {
  const whole = (blobKey: string, contentType: string) => [wholePart(blobs, blobKey, contentType)];
  switch (kind) {
    case 'kv':
      return [];
    case 'html': {
      const html = content as HtmlContent;
      return whole(html.blobKey, typeOf(html));
    }
    case 'json':
      return whole((content as JsonContent).blobKey, 'application/json');
    case 'file': {
      const { blobKey, contentType } = content as FileContent;
      return whole(blobKey, contentType);
    }
    case 'site': {
      const { blobKey, indexKey } = content as SiteContent;
      const { index } = await readSiteIndex(blobs, indexKey);
      return index.files.map(({ path, offset, length, contentType }) => ({
        path,
        contentType,
        read: () =>
          length === 0 ? nothing() : readPieces(blobs, blobKey, { start: offset, end: offset + length - 1 }),
      }));
    }
  }
}

/**
 * The parts in which links are looked for: those that people open as pages, and what the service has rendered of markdown, in
 * which each address is spelt out that the source hides behind backslashes, or names without a scheme. @throws UNAVAILABLE
 */
export async function pageParts(
  blobs: BlobStore,
  kind: Kind,
  content: ContentOf[Kind],
): Promise<ContentPart[]> {
  const pages = (await contentParts(blobs, kind, content)).filter(isPage);
  const isMarkdown = pages.some(({ path, contentType }) => path === null && MARKDOWN.test(contentType));
  const viewKey = isMarkdown && 'viewKey' in content ? content.viewKey : null;
  return viewKey === null ? pages : [...pages, wholePart(blobs, viewKey, 'text/html; charset=utf-8')];
}

const MARKDOWN = /^\s*text\/markdown\b/i;

const wholePart = (blobs: BlobStore, blobKey: string, contentType: string): ContentPart => ({
  path: null,
  contentType,
  read: () => readPieces(blobs, blobKey),
});

async function* readPieces(blobs: BlobStore, key: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
  yield* await openPart(blobs, key, range);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Whether people open it as a page, with links: XML of every type may have XHTML or SVG in it. */
export const isPage = ({ contentType }: ContentPart): boolean =>
  /^\s*(?:text\/(?:html|markdown|xml|xsl)|application\/xml|[^\s;]+\+xml)\s*(?:;|$)/i.test(contentType);
