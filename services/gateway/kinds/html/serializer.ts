import type { Static } from '@sinclair/typebox';
import type { HtmlItem } from '../../../../shared/contracts/html.ts';
import { createdItem, instant, listedItem, updatedItem } from '../../items/serializer.ts';

type Page = Static<typeof HtmlItem>;

/** The answer to a create (specification 3.2). */
export function createdPage(page: Page, ownerToken: string, baseUrl: string) {
  const { format, filename, showTopBar } = page.content;
  return { ...createdItem('html', page, ownerToken, baseUrl), format, filename, showTopBar };
}

/** The answer to an update (specification 4.6). */
export const updatedPage = (page: Page, baseUrl: string) => ({
  ...updatedItem('html', page, baseUrl),
  format: page.content.format,
});

export function listedPage(page: Page, views: number, baseUrl: string) {
  const { format, filename } = page.content;
  return { ...listedItem('html', page, views, baseUrl), format, filename, size: page.sizeBytes };
}

/** A page without its content (specification 4.7). */
export function pageSettings(page: Page) {
  return { ...pageMetadata(page), hasPassword: page.hasPassword };
}

/** A page with its content as it is stored (specification 4.7). */
export function pageSource(page: Page, content: string) {
  return { ...pageMetadata(page), content };
}

function pageMetadata(page: Page) {
  const { namespace, id, title, ttlDays, tags, sizeBytes, content } = page;
  const { format, filename, showTopBar } = content;
  return {
    ...{ namespace, id, format, title, filename, showTopBar, ttlDays, tags, sizeBytes },
    createdAt: instant(page.createdAt),
    updatedAt: instant(page.updatedAt),
    expiresAt: instant(page.expiresAt),
  };
}
