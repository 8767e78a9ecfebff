import { language, result as texts } from '../texts/page-language.ts';
import { offerCopies } from './copy.ts';
import { find, within } from './elements.ts';
import type { Published } from './upload.ts';

const results = find('publish-results', HTMLElement);
const resultTemplate = find('publish-result', HTMLTemplateElement);

/** Shows a published item above the earlier ones, which stay: their owner tokens are shown nowhere else. */
export function showResult(item: Published): void {
  results.prepend(document.importNode(resultTemplate.content, true));
  const result = within(results, 'article', HTMLElement);
  setLink(within(result, '.result-url', HTMLAnchorElement), item.url);
  setLink(within(result, '.result-short-url', HTMLAnchorElement), item.shortUrl);
  within(result, '.result-token', HTMLElement).textContent = item.ownerToken;
  const expires = within(result, '.result-expires', HTMLTimeElement);
  expires.dateTime = item.expiresAt;
  expires.textContent = new Date(item.expiresAt).toLocaleString(language.locale, {
    dateStyle: 'long',
    timeStyle: 'short',
  });
  offerCopies(result);
  void showQrCode(within(result, '.result-qr', HTMLImageElement), item);
  retitle(result, texts.published);
  result.focus();
}

/**
 * Shows the QR code of an item's address, where the service gives one. The page's policy lets it show pictures of its own
 * only: those in its text.
 */
async function showQrCode(picture: HTMLImageElement, item: Published): Promise<void> {
  const response = await fetch(`${new URL(item.url).pathname}.qr.svg`).catch(() => null);
  if (response?.ok !== true) return;
  picture.src = `data:image/svg+xml,${encodeURIComponent(await response.text())}`;
  picture.hidden = false;
}

/** Retitles the results shown so far, so that they are not taken for those of the next attempt. */
export function retireResults(): void {
  for (const earlier of results.children) retitle(earlier, texts.earlier);
}

function retitle(result: Element, title: string): void {
  within(result, 'h3', HTMLElement).textContent = title;
  result.setAttribute('aria-label', title);
}

function setLink(link: HTMLAnchorElement, address: string): void {
  link.href = address;
  link.textContent = address;
}
