import type { Static } from '@sinclair/typebox';
import type { SiteItem } from '../../../../shared/contracts/site.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import type { SiteFile } from '../../../../shared/items/site-index.ts';
import { instant, itemLinks, listedItem, quarantineField, updatedItem } from '../../items/serializer.ts';

type Site = Static<typeof SiteItem>;

/** Fields of every answer about a site: its files in short. */
export function filesOf({ content, sizeBytes }: Pick<Site, 'content' | 'sizeBytes'>) {
  const { entryFile, fileCount } = content;
  return { entryFile, fileCount, totalSizeBytes: sizeBytes };
}

export const updatedSite = (site: Site, baseUrl: string) => ({
  ...updatedItem('site', site, baseUrl),
  ...{ tags: site.tags, ttlDays: site.ttlDays },
  ...filesOf(site),
});

export const listedSite = (site: Site, views: number, baseUrl: string) => ({
  ...listedItem('site', site, views, baseUrl),
  ...filesOf(site),
});

/** A site with all its files (specification 8.3). */
export function siteRecord(record: ItemRecordOf<'site'>, files: SiteFile[], views: number, baseUrl: string) {
  const { namespace, id, title, tags, passwordHash, createdAt, updatedAt, expiresAt } = record;
  const { url, shortUrl } = itemLinks('site', record, baseUrl);
  return {
    ...{ namespace, id, url, shortUrl, title, ...filesOf(record) },
    files: files.map(({ path, contentType, length }) => ({ path, contentType, sizeBytes: length })),
    ...{ tags, hasPassword: passwordHash !== null, ...quarantineField(record) },
    createdAt: instant(createdAt),
    updatedAt: instant(updatedAt),
    expiresAt: instant(expiresAt),
    views,
  };
}
