import { escapeUTF8 } from 'entities';
import { LRUCache } from 'lru-cache';
import type { CallContext } from '../../../../shared/call-context.ts';
import { PUBLIC_NAMESPACE } from '../../../../shared/items/item.ts';
import { type FixedBody, fixedBody } from '../../web/fixed-body.ts';

/** A listed item, as the sitemap needs it. */
interface ListedItem {
  id: string;
  createdAt: number;
  updatedAt: number;
}

/** Where the items come from. */
export interface ListedItems {
  count(context: CallContext): Promise<number>;
  /** The next ones behind a cursor and so many more, oldest first: `limit` of them while there are any. */
  walk(
    range: { after: ListedItem | null; offset: number; limit: number },
    context: CallContext,
  ): Promise<ListedItem[]>;
}

export interface SitemapOptions {
  /** Address of the service's own pages and of this file. */
  baseUrl: string;
  /** Address of the items. */
  itemsUrl: string;
  /** Most addresses in one file. */
  urlsPerFile: number;
  /** How long a file is cached, in ms: further requests of a crawler cost the database nothing. */
  keptMs: number;
}

export interface Sitemap {
  /**
   * Makes a file: for `part` = `null` the one that crawlers begin with, else a part of the index, from 1. `null` when
   * there is no such part.
   */
  file(part: number | null, context: CallContext): Promise<FixedBody | null>;
}

/** The service's own pages that the sitemap lists. */
const OWN_PATHS = ['/', '/gallery', '/docs', '/stats'];
/** Items asked for in one call: few enough for a message and a statement. */
const BATCH = 5_000;
/** Most bytes of all cached files: some ten with 10,000 addresses. */
const KEPT_BYTES = 24 * 1_048_576;
/** Share of a file's bytes that it takes with its compressed forms: each of the three has about a tenth. */
const SHARE_WITH_FORMS = 1.5;
const FIRST = 0;

/**
 * All public addresses for search engines: one file, or an index of files when one cannot hold them. Concurrent requests
 * for one file share its making (single-flight).
 */
export function createSitemap(
  items: ListedItems,
  { baseUrl, itemsUrl, urlsPerFile, keptMs }: SitemapOptions,
): Sitemap {
  const itemsPerFile = urlsPerFile - OWN_PATHS.length;
  const files = new LRUCache<number, { body: FixedBody; parts: number }, CallContext>({
    ttl: keptMs,
    maxSize: KEPT_BYTES,
    ignoreFetchAbort: true,
    sizeCalculation: ({ body }) => Math.ceil(SHARE_WITH_FORMS * body.bytes.length) + 512,
    fetchMethod: (part, _, { context }) => (part === FIRST ? makeFirst(context) : makePart(part, context)),
  });

  async function makeFirst(context: CallContext) {
    const parts = Math.max(1, Math.ceil((await items.count(context)) / itemsPerFile));
    if (parts === 1) return { parts, body: xml(urlSet(await urlsOf(1, context))) };
    const addresses = Array.from({ length: parts }, (_, index) => `${baseUrl}/sitemap.xml?part=${index + 1}`);
    return { parts, body: xml(sitemapIndex(addresses)) };
  }

  async function makePart(part: number, context: CallContext) {
    return { parts: 1, body: xml(urlSet(await urlsOf(part, context))) };
  }

  async function urlsOf(part: number, context: CallContext): Promise<SitemapUrl[]> {
    const urls: SitemapUrl[] = part === 1 ? OWN_PATHS.map((path) => ({ url: `${baseUrl}${path}` })) : [];
    let after: ListedItem | null = null;
    for (let left = itemsPerFile; left > 0; ) {
      const limit = Math.min(BATCH, left);
      const offset: number = after === null ? (part - 1) * itemsPerFile : 0;
      const batch: ListedItem[] = await items.walk({ after, offset, limit }, context);
      for (const { id, updatedAt } of batch)
        urls.push({ url: `${itemsUrl}/${PUBLIC_NAMESPACE}/${id}`, changedAt: updatedAt });
      after = batch.at(-1) ?? null;
      left = batch.length < limit ? 0 : left - limit;
    }
    return urls;
  }

  return {
    async file(part, context) {
      const first = await files.fetch(FIRST, { context });
      if (first === undefined || (part ?? 1) > first.parts) return null;
      if (part === null || first.parts === 1) return first.body;
      return (await files.fetch(part, { context }))?.body ?? null;
    },
  };
}

const xml = (text: string): FixedBody => fixedBody(Buffer.from(text), 'application/xml; charset=utf-8');

/** An address in a sitemap. */
interface SitemapUrl {
  url: string;
  /** Milliseconds since the epoch; left out where nobody knows. */
  changedAt?: number;
}

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

const entry = (name: string, { url, changedAt }: SitemapUrl): string => {
  const changed = changedAt === undefined ? '' : `<lastmod>${new Date(changedAt).toISOString()}</lastmod>`;
  return `<${name}><loc>${escapeUTF8(url)}</loc>${changed}</${name}>\n`;
};

/** A list of addresses (sitemaps.org, protocol). */
const urlSet = (urls: readonly SitemapUrl[]): string =>
  `${HEAD}<urlset xmlns="${NAMESPACE}">\n${urls.map((url) => entry('url', url)).join('')}</urlset>\n`;

/** A sitemap index: a list of sitemap files. */
const sitemapIndex = (files: readonly string[]): string =>
  `${HEAD}<sitemapindex xmlns="${NAMESPACE}">\n${files.map((url) => entry('sitemap', { url })).join('')}</sitemapindex>\n`;
