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
  const name = place.getAttribute('data-copy') ?? texts.label;
  button.setAttribute('aria-label', name);
  const outcome = document.createElement('span');
  outcome.className = 'visually-hidden';
  outcome.setAttribute('role', 'status');
  const source = place.firstElementChild;
  button.addEventListener('click', async () => {
    const text = (await copyTextOf(source)) ? texts.copied : texts.byHand;
    button.textContent = text;
    // The name begins with what is shown (WCAG 2, 2.5.3), and goes on with what the button does.
    button.setAttribute('aria-label', `${text}: ${name}`);
    outcome.textContent = text;
    setTimeout(() => {
      button.textContent = texts.label;
      button.setAttribute('aria-label', name);
      outcome.textContent = '';
    }, 2000);
  });
  place.append(button, outcome);
}

/** Copies the text of an element, or else selects it for the reader to copy. */
async function copyTextOf(source: Element | null): Promise<boolean> {
  if (!source) return false;
  if (await copyText(source.textContent ?? '')) return true;
  getSelection()?.selectAllChildren(source);
  return false;
}

/** Browsers give the clipboard to secure pages only: elsewhere it resolves to `false`. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Lets a button say for a while that it has copied something, or how to do it by hand. */
export function sayCopied(button: HTMLButtonElement, isCopied = true): void {
  button.dataset.label ??= button.textContent;
  button.textContent = isCopied ? texts.copied : texts.byHand;
  setTimeout(() => {
    button.textContent = button.dataset.label ?? '';
  }, 2000);
}
