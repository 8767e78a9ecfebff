import { publishing as texts } from '../../texts/page-language.ts';
import { find, fromTemplate, within } from '../elements.ts';
import { assertKeyName } from '../refusal.ts';

/** A key of a store, and its value. */
export interface Pair {
  readonly key: string;
  /** The value as JSON: as it was written, since its numbers may have more digits than a number here. */
  readonly json: string;
}

const list = find('pairs', HTMLElement);

/** Lets the reader fill in keys and values, one row each. */
export function offerPairs(): void {
  find('pair-add', HTMLButtonElement).addEventListener('click', () => addRow().focus());
  addRow();
}

function addRow(): HTMLInputElement {
  const row = fromTemplate('pair', '.pair', HTMLElement);
  within(row, 'button', HTMLButtonElement).addEventListener('click', () => {
    row.remove();
    if (list.children.length === 0) addRow();
    within(list, 'input', HTMLInputElement).focus();
    list.dispatchEvent(new Event('input', { bubbles: true }));
  });
  list.append(row);
  return within(row, '[name=pair-key]', HTMLInputElement);
}

/** The pairs of all rows that are filled in. @throws Error what is wrong with them, for the reader */
export function pairs(): [Pair, ...Pair[]] {
  const filled = [...list.querySelectorAll('.pair')].flatMap((row) => {
    const key = within(row, '[name=pair-key]', HTMLInputElement).value;
    const text = within(row, '[name=pair-value]', HTMLTextAreaElement).value;
    const isJson = within(row, '[name=pair-type]', HTMLSelectElement).value === 'json';
    if (key === '' && text === '') return [];
    if (key === '') throw new Error(texts.noKey);
    assertKeyName(key);
    return [{ key, json: isJson ? checkedJson(key, text) : JSON.stringify(text) }];
  });
  const [first, ...others] = filled;
  if (first === undefined) throw new Error(texts.noPairs);
  const twice = filled.find(({ key }, n) => filled.findIndex((other) => other.key === key) < n);
  if (twice !== undefined) throw new Error(texts.keyTwice(twice.key));
  return [first, ...others];
}

function checkedJson(key: string, text: string): string {
  try {
    JSON.parse(text);
  } catch {
    throw new Error(texts.valueNoJson(key));
  }
  return text;
}
