// @ts-check
import { offerCopy } from './copy.js';
import { find, within } from './elements.js';

/** @typedef {import('./upload.js').Published} Published */

const results = find('publish-results', HTMLElement);
const resultTemplate = find('publish-result', HTMLTemplateElement);

/**
 * Shows a published item above the earlier ones, which stay: their owner tokens are shown nowhere else.
 *
 * @param {Published} item
 */
export function showResult(item) {
  results.prepend(document.importNode(resultTemplate.content, true));
  const result = within(results, 'article', HTMLElement);
  setLink(within(result, '.result-url', HTMLAnchorElement), item.url);
  setLink(within(result, '.result-short-url', HTMLAnchorElement), item.shortUrl);
  within(result, '.result-token', HTMLElement).textContent = item.ownerToken;
  const expires = within(result, '.result-expires', HTMLTimeElement);
  expires.dateTime = item.expiresAt;
  expires.textContent = new Date(item.expiresAt).toLocaleString('en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
  });
  for (const place of result.querySelectorAll('[data-copy]')) offerCopy(place);
  void showQrCode(within(result, '.result-qr', HTMLImageElement), item);
  retitle(result, 'Published');
  result.focus();
}

/**
 * Shows the QR code of an item's address, where the service gives one. The page's policy lets it show pictures of its own
 * only: those in its text.
 *
 * @param {HTMLImageElement} picture
 * @param {Published} item
 */
async function showQrCode(picture, item) {
  const response = await fetch(`${new URL(item.url).pathname}.qr.svg`).catch(() => null);
  if (response?.ok !== true) return;
  picture.src = `data:image/svg+xml,${encodeURIComponent(await response.text())}`;
  picture.hidden = false;
}

/** Retitles the results shown so far, so that they are not taken for those of the next attempt. */
export function retireResults() {
  for (const earlier of results.children) retitle(earlier, 'Published earlier');
}

/**
 * @param {Element} result
 * @param {string} title
 */
function retitle(result, title) {
  within(result, 'h3', HTMLElement).textContent = title;
  result.setAttribute('aria-label', title);
}

/**
 * @param {HTMLAnchorElement} link
 * @param {string} address
 */
function setLink(link, address) {
  link.href = address;
  link.textContent = address;
}
