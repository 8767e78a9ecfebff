import { language, result as texts } from '../../texts/page-language.ts';
import { offerCopies } from '../copy.ts';
import { find, fromTemplate, within } from '../elements.ts';
import { withFragment } from '../token-store.ts';
import type { Published, UploadResult } from './upload.ts';

const results = find('publish-results', HTMLElement);

/**
 * Shows a published item above the earlier ones.
 * @param name of its file, or its title; empty for none
 * @param isKept its owner token is kept in this browser
 */
export function showResult(item: Published, name: string, isKept: boolean): void {
  const result = fromTemplate('publish-result', 'article', HTMLElement);
  results.prepend(result);
  setLink(within(result, '.result-url', HTMLAnchorElement), item.url);
  setLink(within(result, '.result-short-url', HTMLAnchorElement), item.shortUrl);
  within(result, '.result-token', HTMLElement).textContent = item.ownerToken;
  const pageFor = (what: string): string => {
    const path = `/${what}/${item.namespace}/${item.id}`;
    return isKept ? path : withFragment(path, 'k', item.ownerToken);
  };
  within(result, '.result-manage', HTMLAnchorElement).href = pageFor('manage');
  const edit = within(result, '.result-edit', HTMLAnchorElement);
  if (isEditable(item)) edit.href = pageFor('edit');
  else edit.remove();
  const expires = within(result, '.result-expires', HTMLTimeElement);
  expires.dateTime = item.expiresAt;
  expires.textContent = new Date(item.expiresAt).toLocaleString(language.locale, {
    dateStyle: 'long',
    timeStyle: 'short',
  });
  within(result, '.result-kept', HTMLElement).hidden = !isKept;
  within(result, '.result-not-kept', HTMLElement).hidden = isKept;
  offerCopies(result);
  void showQrCode(within(result, '.result-qr', HTMLImageElement), item);
  within(result, '.result-name', HTMLElement).textContent = name;
  retitle(result, texts.published);
  for (const warning of warningsOf(item.result)) addWarning(warning);
  result.focus();
}

/** Files and sites are replaced as a whole, not edited. */
const isEditable = ({ ownerLink }: Published): boolean =>
  /^\/api\/(?:html|json|kv)\//.test(new URL(ownerLink).pathname);

/** Addresses and files that a warning names. */
const NAMED = 3;

/** Everything in a result that its publisher should know, in the words of the page. */
function warningsOf({ action, reason, extras = {} }: UploadResult = { action: 'created' }): string[] {
  const some = (names: readonly string[]): string =>
    names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ', …' : '');
  const { localAssetRefs, rootRefs, storage } = extras;
  const known = [
    ...(action === 'merged' ? [texts.merged] : []),
    ...(localAssetRefs === undefined ? [] : [texts.missingAssets(some(localAssetRefs))]),
    ...(rootRefs === undefined ? [] : [texts.rootRefs(some(rootRefs))]),
    ...(storage === undefined ? [] : [texts.storage(some(storage))]),
  ];
  return known.length > 0 || reason === undefined ? known : [reason];
}

/** Adds a warning to the latest result. */
export function addWarning(text: string): void {
  const place = within(latest(), '.result-warning', HTMLElement);
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  place.append(paragraph);
  place.hidden = false;
}

/** Leads to the latest result instead of making another, and says why. */
export function showAgain(text: string): void {
  const result = latest();
  const place = within(result, '.result-again', HTMLElement);
  place.textContent = text;
  place.hidden = false;
  result.focus();
}

const latest = (): HTMLElement => within(results, 'article', HTMLElement);

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

/**
 * Retitles the results shown so far, so that they are not taken for those of the next attempt, and hides what `showAgain` has
 * said of them.
 */
export function retireResults(): void {
  for (const earlier of results.children) {
    retitle(earlier, texts.earlier);
    within(earlier, '.result-again', HTMLElement).hidden = true;
  }
}

function retitle(result: Element, title: string): void {
  const { textContent: name } = within(result, '.result-name', HTMLElement);
  within(result, '.result-state', HTMLElement).textContent = name === '' ? title : `${title}: `;
  result.setAttribute('aria-label', name === '' ? title : `${title}: ${name}`);
}

function setLink(link: HTMLAnchorElement, address: string): void {
  link.href = address;
  link.textContent = address;
}
