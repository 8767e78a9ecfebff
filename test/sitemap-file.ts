import { expect } from 'bun:test';
import { decodeXML } from 'entities';

/** A sitemap or an index of sitemaps, read. */
export interface SitemapFile {
  root: 'urlset' | 'sitemapindex';
  urls: Array<{ loc: string; lastmod: string | null }>;
}

const DOCUMENT =
  /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<(urlset|sitemapindex) xmlns="http:\/\/www\.sitemaps\.org\/schemas\/sitemap\/0\.9">\n([\s\S]*)<\/\1>\n$/;
/** Text of XML: no markup, and every ampersand begins a reference. */
const TEXT = String.raw`(?:[^<>&]|&(?:amp|lt|gt|quot|apos|#\d+);)+`;
const ENTRY = new RegExp(
  String.raw`<(url|sitemap)><loc>(${TEXT})</loc>(?:<lastmod>(${TEXT})</lastmod>)?</\1>\n`,
  'y',
);

/** Reads what Perch writes and nothing else: whatever is not of that form fails. */
export function readSitemapFile(text: string): SitemapFile {
  const [, root, body = ''] = DOCUMENT.exec(text) ?? [];
  if (root !== 'urlset' && root !== 'sitemapindex') throw new Error(`no sitemap: ${text.slice(0, 300)}`);
  const urls: SitemapFile['urls'] = [];
  ENTRY.lastIndex = 0;
  while (ENTRY.lastIndex < body.length) {
    const at = ENTRY.lastIndex;
    const [, name, loc, lastmod] = ENTRY.exec(body) ?? [];
    if (loc === undefined) throw new Error(`no entry: ${body.slice(at, at + 300)}`);
    expect(name).toBe(root === 'urlset' ? 'url' : 'sitemap');
    if (lastmod !== undefined) expect(new Date(lastmod).toISOString()).toBe(lastmod);
    urls.push({ loc: decodeXML(loc), lastmod: lastmod ?? null });
  }
  return { root, urls };
}
