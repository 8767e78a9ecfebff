import { formatSize } from '../../../../../shared/pages/format-size.ts';
import { language, publishing as texts } from '../../texts/page-language.ts';
import { find } from '../elements.ts';
import { jsonFaultOf } from './json-text.ts';

/** Checks the document in a field as it is typed, and says where it is wrong. */
export function checkJson(field: HTMLTextAreaElement): void {
  const said = find('document-said', HTMLElement);
  field.addEventListener('input', () => {
    const text = field.value;
    const fault = text.trim() === '' ? null : jsonFaultOf(text);
    if (fault === null) field.removeAttribute('aria-invalid');
    else field.setAttribute('aria-invalid', 'true');
    said.classList.toggle('field-error', fault !== null);
    if (text.trim() === '') said.textContent = '';
    else if (fault === null)
      said.textContent = texts.jsonRight(formatSize(new TextEncoder().encode(text).length, language));
    else if (fault.line === null || fault.column === null) said.textContent = texts.jsonWrong;
    else said.textContent = texts.jsonWrongAt(fault.line, fault.column);
  });
}
