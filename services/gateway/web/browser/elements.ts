/** The element of the page with an id. @throws Error when there is none of that type */
export const find = <E extends HTMLElement>(id: string, type: new () => E): E =>
  within(document, `#${id}`, type);

/** The first element in a place that a selector matches. @throws Error when there is none of that type */
export function within<E extends HTMLElement>(place: ParentNode, selector: string, type: new () => E): E {
  const element = place.querySelector(selector);
  if (!(element instanceof type)) throw new Error(`the page has no ${type.name} ${selector}`);
  return element;
}

/** A copy of the element in a template of the page. @throws Error when there is none of that type */
export const fromTemplate = <E extends HTMLElement>(id: string, selector: string, type: new () => E): E =>
  within(document.importNode(find(id, HTMLTemplateElement).content, true), selector, type);

/** The link that a click opens here; `null` for a click beside all links, or one that opens it elsewhere. */
export function clickedLink(event: MouseEvent): HTMLAnchorElement | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  return event.target instanceof Element ? event.target.closest('a') : null;
}

/** Where a page says what came of something, and what went wrong. */
export interface Notices {
  /** Says it, and that nothing is wrong any more. */
  say(text: string): void;
  /** Shows what was thrown, in words for the reader. */
  fail(error: unknown): void;
  /** Hides the fault of an earlier action. */
  forgetFault(): void;
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
      // The notice is in sight wherever the reader is: the page stays there.
      fault.focus({ preventScroll: true });
    },
    forgetFault() {
      fault.hidden = true;
    },
  };
}
