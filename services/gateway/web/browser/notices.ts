import { find } from './elements.ts';

/** Where a page says what came of something, and what went wrong. */
export interface Notices {
  /** Says it, and that nothing is wrong any more. */
  say(text: string): void;
  /** Shows what was thrown, in words for the reader. */
  fail(error: unknown): void;
}

/** The notices of a page: its elements `<page>-said` and `<page>-fault`. */
export function noticesOf(page: string): Notices {
  const said = find(`${page}-said`, HTMLElement);
  const fault = find(`${page}-fault`, HTMLElement);
  const show = (place: HTMLElement, other: HTMLElement, text: string): void => {
    // Screen readers read it out each time it is set.
    if (place.textContent !== text) place.textContent = text;
    place.hidden = false;
    other.hidden = true;
  };
  return {
    say: (text) => show(said, fault, text),
    fail(error) {
      show(fault, said, error instanceof Error ? error.message : String(error));
      fault.focus();
    },
  };
}
