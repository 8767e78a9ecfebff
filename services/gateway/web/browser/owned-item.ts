import { formatSize } from '../../../../shared/wording/format-size.ts';
import { relativeTime } from '../../../../shared/wording/relative-time.ts';
import { language, owned as texts } from '../texts/page-language.ts';
import { copyText, sayCopied } from './copy.ts';
import { askForDays, confirmIn, showLink } from './dialogs.ts';
import { find, fromTemplate, type Notices, within } from './elements.ts';
import { offerDomain } from './item-domain.ts';
import { offerHistory } from './item-history.ts';
import {
  download,
  downloadOf,
  itemsOf,
  type OwnedItem,
  RefusedError,
  removeItem,
  renewItem,
  replaceSite,
} from './owner-api.ts';
import { withFragment } from './token-store.ts';

/** An item, with the token that owns it. */
export interface Holding {
  readonly token: string;
  readonly item: OwnedItem;
}

interface Page extends Notices {
  /** The item is another than before: renewed, or replaced. */
  onItem(holding: Holding): void;
  /** Its element is still in the page. */
  onRemoved(holding: Holding, element: HTMLElement): void;
}

const DAY_MS = 86_400_000;

/** The element of an item with all that its owner can do with it. */
export function itemElement(holding: Holding, page: Page): HTMLElement {
  const { item } = holding;
  const element = fromTemplate('owned-item', 'li', HTMLLIElement);
  const title = within(element, '.owned-title', HTMLAnchorElement);
  const name = nameOf(item);
  title.href = item.url;
  within(title, 'bdi', HTMLElement).textContent = name;
  const badge = find(`badge-${item.type}`, HTMLTemplateElement);
  within(element, '.owned-kind', HTMLElement).append(document.importNode(badge.content, true));
  within(element, '.owned-protected', HTMLElement).hidden = !item.hasPassword;
  showQuarantine(element, item);
  within(element, '.owned-address', HTMLElement).textContent = `${item.namespace}/${item.id}`;
  within(element, '.owned-size', HTMLElement).textContent = formatSize(item.sizeBytes, language);
  within(element, '.owned-views', HTMLElement).textContent = language.views(item.views);
  showExpiry(element, item.expiresAt);
  for (const action of element.querySelectorAll<HTMLElement>('[data-action]'))
    action.setAttribute('aria-label', `${action.textContent}: ${name}`);
  offerActions(element, holding, page);
  offerHistory(element, holding, page);
  offerDomain(element, holding, page);
  return element;
}

export const nameOf = ({ title, id }: OwnedItem): string => title || id;

function showQuarantine(element: HTMLElement, { quarantine }: OwnedItem): void {
  if (quarantine === undefined) return;
  const notice = within(element, '.owned-quarantine', HTMLElement);
  const { cause, verdict, part } = quarantine;
  notice.textContent = texts.quarantine[cause](part === null ? verdict : `${verdict} (${part})`);
  // Being checked is nothing that the owner has to do anything about.
  notice.classList.toggle('error', cause !== 'unscanned');
  notice.hidden = false;
}

/** Red on the last day, yellow on the last three. */
function showExpiry(element: HTMLElement, expiresAt: string): void {
  const at = new Date(expiresAt);
  const time = within(element, '.owned-expiry time', HTMLTimeElement);
  time.dateTime = expiresAt;
  time.title = at.toLocaleString(language.locale, { dateStyle: 'long', timeStyle: 'short' });
  const now = new Date();
  time.textContent = relativeTime(at, now, language);
  const left = at.getTime() - now.getTime();
  const expiry = within(element, '.owned-expiry', HTMLElement);
  expiry.classList.toggle('last-day', left < DAY_MS);
  expiry.classList.toggle('soon', left >= DAY_MS && left < 3 * DAY_MS);
}

function offerActions(element: HTMLElement, holding: Holding, page: Page): void {
  const { item, token } = holding;
  const on = (action: string, act: (button: HTMLButtonElement) => Promise<void>): void => {
    const button = within(element, `[data-action=${action}]`, HTMLButtonElement);
    button.addEventListener('click', async () => {
      try {
        await act(button);
      } catch (error) {
        report(error, element, holding, page);
      }
    });
  };
  on('copy', async (button) => {
    if (await copyText(item.url)) sayCopied(button);
    else await showLink(item.url, 'address');
  });
  on('qr', () => showLink(item.url, 'address'));
  on('link', () => showLink(withFragment(`/manage/${item.namespace}/${item.id}`, 'k', token), 'management'));
  on('renew', async () => {
    const days = await askForDays(nameOf(item), item.ttlDays);
    if (days === null) return;
    const expiresAt = await renewItem(token, item, days);
    showExpiry(element, expiresAt);
    page.say(texts.renewed(nameOf(item), relativeTime(new Date(expiresAt), new Date(), language)));
    page.onItem({ token, item: { ...item, expiresAt } });
  });
  on('remove', async () => {
    if (!(await confirmIn('remove', texts.removeHint(nameOf(item))))) return;
    await removeItem(token, item);
    page.say(texts.removed(nameOf(item)));
    page.onRemoved(holding, element);
  });
  offerReplacing(element, holding, page);
  offerEditing(within(element, 'a[data-action=edit]', HTMLAnchorElement), item);
  offerDownload(within(element, 'a[data-action=download]', HTMLAnchorElement), holding, page);
}

/** Tells what went wrong with an action; an item that is not there any more leaves the page. */
function report(error: unknown, element: HTMLElement, holding: Holding, page: Page): void {
  if (error instanceof RefusedError && error.status === 404) {
    page.onRemoved(holding, element);
    page.fail(new Error(texts.gone(nameOf(holding.item))));
  } else page.fail(error);
}

/** A site is replaced by a ZIP; other kinds are edited, or deleted and published anew. */
function offerReplacing(element: HTMLElement, holding: Holding, page: Page): void {
  const { item, token } = holding;
  const button = within(element, '[data-action=replace]', HTMLButtonElement);
  if (item.type !== 'site') {
    button.remove();
    return;
  }
  const field = document.createElement('input');
  field.type = 'file';
  field.accept = '.zip,application/zip';
  button.addEventListener('click', () => field.click());
  field.addEventListener('change', async () => {
    const [archive] = field.files ?? [];
    // The next choice of that file is a change, too.
    field.value = '';
    if (archive === undefined) return;
    page.say(texts.replacing(archive.name));
    button.disabled = true;
    try {
      await replaceSite(token, item, archive);
      // The site is replaced, also where what there is to tell of it cannot be had: then what was known stays.
      const owned = await itemsOf(token).catch((): OwnedItem[] => []);
      const isReplaced = ({ namespace, id }: OwnedItem) => namespace === item.namespace && id === item.id;
      const replaced = { token, item: owned.find(isReplaced) ?? item };
      const shown = itemElement(replaced, page);
      element.replaceWith(shown);
      page.onItem(replaced);
      page.say(texts.replaced(nameOf(replaced.item)));
      within(shown, '[data-action=replace]', HTMLButtonElement).focus({ preventScroll: true });
    } catch (error) {
      report(error, element, holding, page);
    } finally {
      button.disabled = false;
    }
  });
}

/** Files and sites are replaced as a whole, not edited. */
function offerEditing(link: HTMLAnchorElement, { namespace, id, type }: OwnedItem): void {
  if (type === 'file' || type === 'site') link.remove();
  else link.href = `/edit/${namespace}/${id}`;
}

/** The owner's token goes along, which no link can carry: an item may be protected or in quarantine. */
function offerDownload(link: HTMLAnchorElement, { item, token }: Holding, page: Notices): void {
  const file = downloadOf(item);
  link.href = file.path;
  link.download = '';
  link.addEventListener('click', async (event) => {
    event.preventDefault();
    try {
      const { bytes, name } = await download(token, file.path);
      saveAs(bytes, name ?? file.name);
    } catch (error) {
      page.fail(error);
    }
  });
}

/** Lets the browser save bytes as a file. */
export function saveAs(bytes: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
