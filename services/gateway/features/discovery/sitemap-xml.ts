import { escapeUTF8 } from 'entities';

/** An address in a sitemap. */
export interface SitemapUrl {
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
export const urlSet = (urls: readonly SitemapUrl[]): string =>
  `${HEAD}<urlset xmlns="${NAMESPACE}">\n${urls.map((url) => entry('url', url)).join('')}</urlset>\n`;

/** A list of such lists. */
export const sitemapIndex = (files: readonly string[]): string =>
  `${HEAD}<sitemapindex xmlns="${NAMESPACE}">\n${files.map((url) => entry('sitemap', { url })).join('')}</sitemapindex>\n`;
