import { copy as texts } from '../texts/page-language.ts';

/** How long a button says what came of it, in ms. */
const SAID_MS = 2_000;

/** A screen reader hears a status that changes; one that has just been made it may not know yet. */
const KNOWN_MS = 100;

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
  const source = place.firstElementChild;
  button.addEventListener('click', async () => sayCopied(button, await copyTextOf(source)));
  place.append(button);
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

interface CopyButton {
  label: string;
  /** Its accessible name where that is not its label. */
  name: string | null;
  /** Beside the button, for screen readers. */
  status: HTMLElement;
}

const buttons = new WeakMap<HTMLButtonElement, CopyButton>();

/** Lets a button say for a while, to screen readers too, that it has copied something or how to do it by hand. */
export function sayCopied(button: HTMLButtonElement, isCopied = true): void {
  const { label, name, status } = buttons.get(button) ?? prepared(button);
  const text = isCopied ? texts.copied : texts.byHand;
  button.textContent = text;
  // The name begins with what is shown (WCAG 2, 2.5.3), and goes on with what the button does.
  if (name !== null) button.setAttribute('aria-label', `${text}: ${name}`);
  setTimeout(() => {
    status.textContent = text;
  }, KNOWN_MS);
  setTimeout(() => {
    button.textContent = label;
    if (name !== null) button.setAttribute('aria-label', name);
    status.textContent = '';
  }, SAID_MS);
}

function prepared(button: HTMLButtonElement): CopyButton {
  const status = document.createElement('span');
  status.className = 'visually-hidden';
  status.setAttribute('role', 'status');
  button.after(status);
  const made = { label: button.textContent ?? '', name: button.getAttribute('aria-label'), status };
  buttons.set(button, made);
  return made;
}
