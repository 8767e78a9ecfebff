import { codeField, loadWhenUsed } from '../editing/code-field.ts';
import { createPreview } from '../editing/preview.ts';
import { offerViews } from '../editing/views.ts';
import { find, within } from '../elements.ts';
import type { PageFormat } from './kind-of-files.ts';

/** Lets the texts of the form become editors, and shows a preview of the page. */
export function offerEditors(form: HTMLFormElement): void {
  const content = find('content', HTMLTextAreaElement);
  const format = find('format', HTMLSelectElement);
  const title = find('title', HTMLInputElement);
  const formatNow = (): PageFormat => format.value as PageFormat;
  const editor = codeField(content, formatNow());
  loadWhenUsed(content, editor);
  const place = within(form, '.editing:has(#content)', HTMLElement);
  const preview = createPreview(place, () => ({
    ...{ text: content.value, format: formatNow(), language: null, title: title.value },
  }));
  const follow = (): void => {
    editor.setLanguage(formatNow());
    preview.update();
  };
  form.addEventListener('input', follow);
  form.addEventListener('change', follow);
  offerViews(place, preview, 'edit');

  const json = find('document', HTMLTextAreaElement);
  loadWhenUsed(json, codeField(json, 'JSON'));
}
