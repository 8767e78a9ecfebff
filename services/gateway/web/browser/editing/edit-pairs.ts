import { formatSize } from '../../../../../shared/pages/format-size.ts';
import { language, pairs as texts } from '../../texts/page-language.ts';
import { confirmIn, guardLeaving } from '../dialogs.ts';
import { find, fromTemplate, type Notices, within } from '../elements.ts';
import type { EditedValue, ListedKey, StoredPairs, StoredValue } from './stored-pairs.ts';

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
  /** Somebody else has changed it: shows theirs, and lets the next try replace it. Resolves to whether it is still there. */
  const showTheirs = async (): Promise<boolean> => {
    stored = await store.read(key);
    within(theirs, 'pre', HTMLPreElement).textContent = stored?.text ?? '';
    theirs.hidden = stored === null;
    mark();
    return stored !== null;
  };
  const save = async (): Promise<void> => {
    const value = valueNow();
    const etag = await store.write(key, value, stored?.etag ?? null);
    if (etag === null) {
      if (!(await showTheirs())) page.fail(new Error(texts.goneMeanwhile(key)));
      return;
    }
    stored = { ...value, etag };
    theirs.hidden = true;
    showSize(new TextEncoder().encode(value.text).length);
    mark();
    page.say(texts.saved(key));
  };
  const remove = async (): Promise<void> => {
    if (!(await confirmIn('remove-key', key))) return;
    const isRemoved = stored !== null && (await store.remove(key, stored.etag));
    if (!isRemoved && (await showTheirs())) return;
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
  const add = async (): Promise<void> => {
    const key = name.value;
    const value = { text: field.value, isText: type.value === 'text' };
    if ((await store.write(key, value, null)) === null) throw new Error(texts.isThere(key));
    const sizeBytes = new TextEncoder().encode(value.text).length;
    list.append(rowOf({ key, sizeBytes, updatedAt: new Date().toISOString() }, store, page));
    page.showCount();
    page.say(texts.saved(key));
    form.reset();
    name.focus();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run(add);
  });
}

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
