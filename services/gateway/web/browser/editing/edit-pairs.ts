import { formatSize } from '../../../../../shared/wording/format-size.ts';
import { language, pairs as texts } from '../../texts/page-language.ts';
import { confirmIn, guardLeaving } from '../dialogs.ts';
import { find, fromTemplate, type Notices, within } from '../elements.ts';
import { assertKeyName } from '../refusal.ts';
import {
  type EditedValue,
  isSameValue,
  type ListedKey,
  type StoredPairs,
  type StoredValue,
} from './stored-pairs.ts';

const list = find('pair-list', HTMLUListElement);
const count = find('pair-count', HTMLElement);

/** Lets the reader change, add and remove the keys of a store. A value is asked for when its key is opened. */
export async function editPairs(store: StoredPairs, notices: Notices): Promise<void> {
  const showCount = (): void => {
    count.textContent = language.keys(list.children.length);
  };
  const page = { ...notices, showCount };
  list.replaceChildren(...(await store.list()).map((one) => rowOf(one, store, page)));
  showCount();
  offerAdding(store, page);
  find('edit-pairs', HTMLElement).hidden = false;
  const hasNew = (): boolean =>
    find('new-key', HTMLInputElement).value !== '' || find('new-value', HTMLTextAreaElement).value !== '';
  guardLeaving(() => hasNew() || list.querySelector('.changed') !== null);
}

interface Page extends Notices {
  showCount(): void;
}

function rowOf(listed: ListedKey, store: StoredPairs, page: Page): HTMLElement {
  const { key } = listed;
  const row = fromTemplate('pair-row', 'li', HTMLLIElement);
  const details = within(row, 'details', HTMLDetailsElement);
  const form = within(row, 'form', HTMLFormElement);
  const field = within(row, 'textarea', HTMLTextAreaElement);
  const type = within(row, 'select', HTMLSelectElement);
  const theirs = within(row, '.pair-theirs', HTMLElement);
  within(row, '.pair-key', HTMLElement).textContent = key;
  field.setAttribute('aria-label', texts.valueOf(key));
  type.setAttribute('aria-label', texts.typeOf(key));
  const showSize = (bytes: number): void => {
    within(row, '.pair-size', HTMLElement).textContent = formatSize(bytes, language);
  };
  showSize(listed.sizeBytes);

  /** `null` before it was asked for, and when somebody else has deleted it. */
  let stored: StoredValue | null = null;
  /** Values that were sent since then: where an answer was lost, each of them may be what is stored. */
  let sent: EditedValue[] = [];
  const valueNow = (): EditedValue => ({ text: field.value, isText: type.value === 'text' });
  const mark = (): void => {
    const { text, isText } = valueNow();
    row.classList.toggle('changed', text !== stored?.text || isText !== stored.isText);
  };
  const drop = (words: string): void => {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    (next?.querySelector('summary') ?? find('new-key', HTMLInputElement)).focus();
    page.showCount();
    page.say(words);
  };
  const load = async (): Promise<void> => {
    stored = await store.read(key);
    if (stored === null) return drop(texts.goneAlready(key));
    field.value = stored.text;
    type.value = stored.isText ? 'text' : 'json';
    form.hidden = false;
  };
  /** Somebody else has changed or deleted it: shows theirs, and lets the next try replace it. */
  const showTheirs = (found: StoredValue | null): void => {
    stored = found;
    within(theirs, 'pre', HTMLPreElement).textContent = found?.text ?? '';
    theirs.hidden = found === null;
    mark();
  };
  const keep = (saved: StoredValue): void => {
    stored = saved;
    sent = [];
    theirs.hidden = true;
    showSize(sizeOf(saved));
    mark();
    page.say(texts.saved(key));
  };
  const save = async (): Promise<void> => {
    const value = valueNow();
    sent.push(value);
    const etag = await store.write(key, value, stored?.etag ?? null);
    if (etag !== null) return keep({ ...value, etag });
    // Another version is there. One that was sent from here is the reader's own, and its answer was lost (specification 21.3).
    const found = await store.read(key);
    const own = found === null ? undefined : sent.findLast((one) => isSameValue(one, found));
    if (found !== null && own !== undefined) {
      if (own === value) return keep({ ...value, etag: found.etag });
      stored = found;
      return await save();
    }
    showTheirs(found);
    if (found === null) page.fail(new Error(texts.goneMeanwhile(key)));
  };
  const remove = async (): Promise<void> => {
    if (!(await confirmIn('remove-key', key))) return;
    const isRemoved = stored !== null && (await store.remove(key, stored.etag));
    const found = isRemoved ? null : await store.read(key);
    if (found !== null) return showTheirs(found);
    drop(isRemoved ? texts.removed(key) : texts.goneAlready(key));
  };
  const run = oneAtATime((error) =>
    page.fail(error instanceof SyntaxError ? new Error(texts.noJson(key)) : error),
  );

  details.addEventListener('toggle', () => {
    if (details.open && form.hidden) run(load);
  });
  form.addEventListener('input', mark);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run(save);
  });
  within(row, '[data-action=remove]', HTMLButtonElement).addEventListener('click', () => run(remove));
  return row;
}

function offerAdding(store: StoredPairs, page: Page): void {
  const form = find('pair-new', HTMLFormElement);
  const name = find('new-key', HTMLInputElement);
  const field = find('new-value', HTMLTextAreaElement);
  const type = find('new-type', HTMLSelectElement);
  const run = oneAtATime((error) =>
    page.fail(error instanceof SyntaxError ? new Error(texts.noJson(name.value)) : error),
  );
  const enlist = (added: ListedKey): void => {
    const listed = [...list.querySelectorAll('.pair-key')];
    if (listed.some(({ textContent }) => textContent === added.key)) return;
    list.append(rowOf(added, store, page));
    page.showCount();
  };
  const add = async (): Promise<void> => {
    const key = name.value;
    assertKeyName(key);
    const value = { text: field.value, isText: type.value === 'text' };
    const isNew = (await store.write(key, value, null)) !== null;
    const found = isNew ? value : await store.read(key);
    if (found !== null) enlist({ key, sizeBytes: sizeOf(found) });
    // An earlier try may have added it, whose answer was lost.
    if (found === null || !isSameValue(found, value)) throw new Error(texts.isThere(key));
    page.say(texts.saved(key));
    form.reset();
    name.focus();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run(add);
  });
}

const sizeOf = ({ text }: EditedValue): number => new TextEncoder().encode(text).length;

/** Runs work unless some is under way: a second click asks for nothing more. */
function oneAtATime(fail: (error: unknown) => void): (work: () => Promise<void>) => void {
  let isBusy = false;
  return (work) => {
    if (isBusy) return;
    isBusy = true;
    void work()
      .catch(fail)
      .finally(() => {
        isBusy = false;
      });
  };
}
