import { publishing as texts } from '../../texts/page-language.ts';
import { type CodeField, checkJson, codeField } from '../editing/code-field.ts';
import { offerPreview } from '../editing/preview.ts';
import { find, within } from '../elements.ts';
import { looksLikeHtml, type PageFormat } from './content-kinds.ts';

const content = find('content', HTMLTextAreaElement);
const title = find('title', HTMLInputElement);
const format = find('format', HTMLSelectElement);
const formatSaid = find('format-said', HTMLElement);
const json = find('document', HTMLTextAreaElement);

const formatNow = (): PageFormat => format.value as PageFormat;

/** Lets the texts of the form become editors, checks the document, and shows a preview of the page. */
export function offerEditors(form: HTMLFormElement): void {
  followFormat();
  const editor = codeField(content, formatNow());
  loadWhenUsed(content, editor);
  const place = within(form, '.editing:has(#content)', HTMLElement);
  const update = offerPreview(place, 'edit', () => ({
    text: content.value,
    format: formatNow(),
    language: null,
    title: title.value,
  }));
  const follow = (): void => {
    editor.setLanguage(formatNow());
    update();
  };
  form.addEventListener('input', follow);
  form.addEventListener('change', follow);

  checkJson(json);
  loadWhenUsed(json, codeField(json, 'JSON'));
}

/** Loads the editor of a field when somebody turns to it: who only looks at the page needs none. */
const loadWhenUsed = (field: HTMLTextAreaElement, editor: CodeField): void =>
  field.addEventListener('focus', () => void editor.load(), { once: true });

/** Whether the reader has chosen a format: then it is theirs. */
let isChosen = false;

/** Whether the form has switched to HTML, and nobody has chosen a format since. */
let isSwitched = false;

/**
 * Switches to HTML while a whole document is in the field, and says so: as markdown it would lose its scripts, styles and
 * title.
 */
function followFormat(): void {
  format.addEventListener('change', () => {
    isChosen = true;
    isSwitched = false;
    formatSaid.textContent = '';
  });
  content.addEventListener('input', () => {
    if (content.value === '') isChosen = false;
    const isHtml = looksLikeHtml(content.value);
    if (isSwitched && !isHtml) setFormat('MARKDOWN');
    else if (isHtml && !isChosen && format.value === 'MARKDOWN') {
      format.value = 'HTML';
      isSwitched = true;
      formatSaid.textContent = texts.isHtml;
    }
  });
}

/** Sets the format, as the name of a file tells it or as it was before. */
export function setFormat(value: PageFormat): void {
  format.value = value;
  isSwitched = false;
  formatSaid.textContent = '';
}
