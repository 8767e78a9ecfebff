import { toString as qrCode } from 'qrcode';
import { owned as texts } from '../texts/page-language.ts';
import { copyText } from './copy.ts';
import { clickedLink, find, within } from './elements.ts';

/** Asks in a dialog of the page, `<name>-dialog`; resolves to whether the answer is yes. */
export async function confirmIn(name: string, about?: string): Promise<boolean> {
  const dialog = find(`${name}-dialog`, HTMLDialogElement);
  if (about !== undefined) within(dialog, '.dialog-name', HTMLElement).textContent = about;
  return (await answerOf(dialog)) === 'ok';
}

/** Asks for how many days something shall be kept; `null` when it is not to be renewed after all. */
export async function askForDays(name: string, days: number): Promise<number | null> {
  const select = find('renew-days', HTMLSelectElement);
  select.value = String(days);
  if (select.selectedIndex < 0) select.value = '30';
  return (await confirmIn('renew', name)) ? Number(select.value) : null;
}

/** Shows a link: as text, to copy, and as a QR code, which is made here, as the link may have a secret in it. */
export async function showLink(link: string, kind: 'address' | 'management'): Promise<void> {
  const dialog = find('link-dialog', HTMLDialogElement);
  within(dialog, 'h2', HTMLElement).textContent = kind === 'address' ? texts.qrHeading : texts.linkHeading;
  within(dialog, '.link-hint', HTMLElement).hidden = kind === 'address';
  const text = within(dialog, '.link-text', HTMLElement);
  text.textContent = link;
  const picture = within(dialog, '.link-qr', HTMLImageElement);
  const svg = await qrCode(link, { type: 'svg', errorCorrectionLevel: 'M', margin: 2 });
  picture.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  picture.alt = texts.qrCode;
  const copy = within(dialog, '[data-action=copy]', HTMLButtonElement);
  copy.textContent = kind === 'address' ? texts.copyAddress : texts.copyLink;
  copy.onclick = async () => {
    if (await copyText(link)) copy.textContent = texts.copied;
    else getSelection()?.selectAllChildren(text);
  };
  await answerOf(dialog);
}

/** Shows what somebody else has made of a text, and asks what to do: `mine` is to go on, without saving. */
export async function askAboutConflict(theirs: string): Promise<'overwrite' | 'theirs' | 'mine'> {
  const details = find('conflict-theirs', HTMLDetailsElement);
  details.open = false;
  within(details, 'pre', HTMLPreElement).textContent = theirs;
  const answer = await answerOf(find('conflict-dialog', HTMLDialogElement));
  return answer === 'overwrite' || answer === 'theirs' ? answer : 'mine';
}

/**
 * Asks before a page with unsaved changes is left. For a link and for the switch of the language the page shows a dialog of its own,
 * for all else the browser does.
 */
export function guardLeaving(isChanged: () => boolean): void {
  let isLeaving = false;
  // A browser may show the page again as it was left.
  addEventListener('pageshow', () => {
    isLeaving = false;
  });
  addEventListener('beforeunload', (event) => {
    if (!isLeaving && isChanged()) event.preventDefault();
  });
  document.addEventListener('click', async (event) => {
    const link = clickedLink(event);
    if (link === null || link.target !== '' || link.hasAttribute('download') || !isChanged()) return;
    if (link.origin === location.origin && link.pathname === location.pathname && link.hash !== '') return;
    event.preventDefault();
    if (!(await confirmIn('leave'))) return;
    isLeaving = true;
    location.assign(link.href);
  });
  const onSwitch = async (event: MouseEvent): Promise<void> => {
    const button = event.target instanceof Element ? event.target.closest('button[data-language]') : null;
    if (!(button instanceof HTMLElement) || isLeaving || !isChanged()) return;
    event.stopPropagation();
    if (!(await confirmIn('leave'))) return;
    isLeaving = true;
    button.click();
  };
  // Before the button's own listener, which keeps the choice and loads the page again.
  document.addEventListener('click', onSwitch, { capture: true });
}

/** Resolves to the value of the button that was pressed, empty for none. */
function answerOf(dialog: HTMLDialogElement): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  dialog.returnValue = '';
  dialog.addEventListener('close', () => resolve(dialog.returnValue), { once: true });
  dialog.showModal();
  return promise;
}
