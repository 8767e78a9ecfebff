import { copyText, sayCopied } from '../copy.ts';

/** An element with a class and content. */
export function make<N extends keyof HTMLElementTagNameMap>(
  name: N,
  className: string,
  ...content: Array<Node | string>
): HTMLElementTagNameMap[N] {
  const element = document.createElement(name);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}

export function button(
  text: string,
  onClick: () => void | Promise<void>,
  className = 'button quiet',
): HTMLButtonElement {
  const made = make('button', className, text);
  made.type = 'button';
  made.addEventListener('click', () => void onClick());
  return made;
}

/** A button that copies what it is asked for at that moment. */
export function copyButton(label: string, textOf: () => string): HTMLButtonElement {
  const made = button(label, async () => sayCopied(made, await copyText(textOf())));
  return made;
}

/** The beginning of a text that is too long. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;

/** A field to search in, with what it has found, said to screen readers as well. */
export function searchField(
  label: string,
  onInput: (text: string) => void | Promise<void>,
): { label: HTMLLabelElement; field: HTMLInputElement; outcome: HTMLSpanElement } {
  const field = make('input', '');
  field.type = 'search';
  field.autocomplete = 'off';
  field.placeholder = label;
  let typing: ReturnType<typeof setTimeout> | undefined;
  field.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => void onInput(field.value), 200);
  });
  const outcome = make('span', 'viewer-outcome');
  outcome.setAttribute('role', 'status');
  return {
    label: make('label', 'viewer-find', make('span', 'visually-hidden', label), field),
    field,
    outcome,
  };
}
