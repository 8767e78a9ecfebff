import type { Static } from '@sinclair/typebox';
import type { PageItem } from '../../../shared/contracts/content.ts';

type Page = Static<typeof PageItem>;

const instant = (ms: number): string => new Date(ms).toISOString();

/** Where an item is found, by people and by the API. */
function links({ namespace, id, code }: Page, baseUrl: string) {
  const url = `${baseUrl}/${namespace}/${id}`;
  return {
    url,
    shortUrl: `${baseUrl}/s/${code}`,
    link: url,
    ownerLink: `${baseUrl}/api/html/${namespace}/${id}`,
  };
}

/** shapes.md, "Create responses". */
export function createdPage(page: Page, ownerToken: string, baseUrl: string) {
  const { namespace, id, format, title, filename, showTopBar, tags, ttlDays, hasPassword, sizeBytes } = page;
  return {
    ...{ namespace, id, ...links(page, baseUrl), ownerToken },
    ...{ format, title, filename, showTopBar, sizeBytes, tags, ttlDays, hasPassword },
    createdAt: instant(page.createdAt),
    expiresAt: instant(page.expiresAt),
  };
}

/** shapes.md, HTML, "Update". */
export function updatedPage(page: Page, baseUrl: string) {
  const { namespace, id, format, title, sizeBytes } = page;
  return {
    ...{ namespace, id, ...links(page, baseUrl), format, title, sizeBytes },
    createdAt: instant(page.createdAt),
    updatedAt: instant(page.updatedAt),
    expiresAt: instant(page.expiresAt),
  };
}

/** shapes.md, HTML, "Settings". */
export function pageSettings(page: Page) {
  return { ...pageMetadata(page), hasPassword: page.hasPassword };
}

/** shapes.md, HTML, "Source". */
export function pageSource(page: Page, content: string) {
  return { ...pageMetadata(page), content };
}

function pageMetadata(page: Page) {
  const { namespace, id, format, title, filename, showTopBar, ttlDays, tags, sizeBytes } = page;
  return {
    ...{ namespace, id, format, title, filename, showTopBar, ttlDays, tags, sizeBytes },
    createdAt: instant(page.createdAt),
    updatedAt: instant(page.updatedAt),
    expiresAt: instant(page.expiresAt),
  };
}
