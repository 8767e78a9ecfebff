import { copy as texts } from '../texts/page-language.ts';

/** Gives all elements with `data-copy` in a place their buttons. */
export function offerCopies(place: ParentNode): void {
  for (const element of place.querySelectorAll('[data-copy]')) offerCopy(element);
}

/** Gives an element with `data-copy` (the button's accessible name) a button that copies the text of its first child. */
function offerCopy(place: Element): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = texts.label;
  button.setAttribute('aria-label', place.getAttribute('data-copy') ?? texts.label);
  // The button's name stays what it does; what came of it is said besides.
  const outcome = document.createElement('span');
  outcome.className = 'visually-hidden';
  outcome.setAttribute('role', 'status');
  const source = place.firstElementChild;
  button.addEventListener('click', async () => {
    const text = (await copyText(source)) ? texts.copied : texts.byHand;
    button.textContent = text;
    outcome.textContent = text;
    setTimeout(() => {
      button.textContent = texts.label;
      outcome.textContent = '';
    }, 2000);
  });
  place.append(button, outcome);
}

/** Browsers give the clipboard to secure pages only; elsewhere the text is selected for the reader to copy. */
async function copyText(source: Element | null): Promise<boolean> {
  if (!source) return false;
  try {
    await navigator.clipboard.writeText(source.textContent ?? '');
    return true;
  } catch {
    getSelection()?.selectAllChildren(source);
    return false;
  }
}
