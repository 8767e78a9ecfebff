import { editing, edit as texts, language as words } from '../../texts/page-language.ts';
import { askAboutConflict, guardLeaving } from '../dialogs.ts';
import { find, type Notices, within } from '../elements.ts';
import { RefusedError } from '../owner-api.ts';
import { checkJson, codeField } from './code-field.ts';
import { type Change, type EditedItem, type Source, withLineEndsOf, withLineFeeds } from './edited-item.ts';
import { offerPreview } from './preview.ts';

const form = find('edit-form', HTMLFormElement);
const field = find('content', HTMLTextAreaElement);
const title = find('title', HTMLInputElement);
const save = find('edit-save', HTMLButtonElement);

/** Lets the reader edit the text of an item. The text is replaced only while it is the version that they have seen. */
export async function editText(item: EditedItem, notices: Notices): Promise<void> {
  const source = await item.read();
  /** The text as it is stored, so far as this page knows. */
  let stored: Pick<Source, 'text' | 'title' | 'etag'> = source;
  /** Changes that were sent since then: where an answer was lost, each of them may be what is stored. */
  let sent: Change[] = [];
  let isSaving = false;
  /** Asks for a preview once more where the last one failed or the draft is another; a document has none. */
  let updatePreview = (): void => undefined;

  const isChanged = (): boolean =>
    field.value !== withLineFeeds(stored.text) || title.value.trim() !== (stored.title ?? '');

  const fill = (next: Pick<Source, 'text' | 'title'>): void => {
    field.value = next.text;
    title.value = next.title ?? '';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };

  const write = async (etag: string): Promise<void> => {
    const [text, given] = [withLineEndsOf(field.value, stored.text), title.value.trim()];
    const isRetitled = given !== (stored.title ?? '') && given !== '';
    const change = { text, title: isRetitled ? given : null, etag };
    sent.push(change);
    const written = await item.write(change);
    if (written === null) return await settle(change, given);
    keep({ text, ...written }, given);
  };

  const keep = (saved: Pick<Source, 'text' | 'title' | 'etag'>, given: string): void => {
    stored = saved;
    sent = [];
    // A title that nobody has given follows the text.
    if (title.value.trim() === given) title.value = saved.title ?? '';
    const time = new Date().toLocaleTimeString(words.locale, { timeStyle: 'medium' });
    notices.say(isChanged() ? texts.unsaved : texts.saved(time));
  };

  /**
   * Another version is there. One that was sent from here is the reader's own, and its answer was lost (specification 21.3).
   * Else somebody else was first: shows what they have made of it, and does what the reader decides.
   */
  const settle = async (change: Change, given: string): Promise<void> => {
    notices.say(texts.unsaved);
    const theirs = await item.read();
    const own = sent.findLast(
      ({ text, title }) => text === theirs.text && (title === null || title === theirs.title),
    );
    if (own === change) return keep(theirs, given);
    if (own !== undefined) return await write(theirs.etag);
    const decision = await askAboutConflict(theirs.text);
    if (decision === 'overwrite') return await write(theirs.etag);
    if (decision === 'theirs') {
      stored = theirs;
      sent = [];
      fill(theirs);
      editor.focus();
    }
    notices.say(decision === 'theirs' ? texts.tookTheirs : texts.keptMine);
  };

  const setSaving = (now: boolean): void => {
    isSaving = now;
    // The button stays where the focus is, which it would lose if it were disabled.
    save.setAttribute('aria-disabled', String(now));
  };

  const submit = async (): Promise<void> => {
    if (isSaving) return;
    if (field.value.trim() === '') return notices.fail(new Error(editing.empty));
    if (!isChanged() && sent.length === 0) return notices.say(texts.unchanged);
    setSaving(true);
    notices.say(texts.saving);
    try {
      await write(stored.etag);
    } catch (error) {
      const isGone = error instanceof RefusedError && error.status === 404;
      notices.fail(isGone ? new Error(texts.gone) : error);
    } finally {
      setSaving(false);
    }
  };

  fill(source);
  field.setSelectionRange(0, 0);
  form.hidden = false;
  const editor = codeField(field, source.format);
  if (source.format === 'JSON') {
    find('edit-title', HTMLElement).hidden = true;
    checkJson(field);
  } else {
    const { format, language } = source;
    const draftOf = () => ({ text: field.value, format, language, title: title.value });
    updatePreview = offerPreview(within(form, '.editing', HTMLElement), 'both', draftOf);
    form.addEventListener('input', updatePreview);
  }
  guardLeaving(isChanged);
  form.addEventListener('input', () => notices.say(isChanged() ? texts.unsaved : ''));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit().then(updatePreview);
  });
  addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 's') return;
    event.preventDefault();
    form.requestSubmit();
  });
  await editor.load();
  editor.focus();
}
