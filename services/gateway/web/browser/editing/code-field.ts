import { formatSize } from '../../../../../shared/wording/format-size.ts';
import { jsonFaultOf } from '../../../../../shared/wording/json-fault.ts';
import { language, publishing, editing as texts } from '../../texts/page-language.ts';
import { find } from '../elements.ts';
import type { CodeEditor, CodeLanguage } from '../parts/code-editor.ts';

/** Loaded when it is needed. */
type CodeEditorScript = typeof import('../parts/code-editor.ts');

/** A text of more characters stays in its plain field: the field follows each change of the editor. */
const MAX_CHARACTERS = 1_000_000;

export interface CodeField {
  setLanguage(language: CodeLanguage): void;
  /** Loads the editor, if it can be had, and resolves when it is in place. */
  load(): Promise<void>;
  focus(): void;
}

/**
 * Lets a text field become an editor. The field stays what the form sends and what other scripts read and write: the editor
 * follows its `input` events, and it those of the editor. Until the editor is there, and where it cannot be loaded, the
 * field does all of it alone.
 */
export function codeField(field: HTMLTextAreaElement, first: CodeLanguage): CodeField {
  const place = field.closest<HTMLElement>('.editing');
  let current = first;
  let editor: CodeEditor | null = null;
  let loading: Promise<void> | null = null;

  const load = async (): Promise<void> => {
    const address = place?.dataset.editor;
    if (place === null || address === undefined || field.value.length > MAX_CHARACTERS) return;
    const script = (await import(address).catch(() => null)) as CodeEditorScript | null;
    if (script === null) return;
    const isActive = document.activeElement === field;
    editor = replaceBy(script, field, current);
    if (isActive) editor.focus();
  };

  field.addEventListener('input', () => editor?.setText(field.value));
  for (const label of field.labels)
    label.addEventListener('click', (event) => {
      if (editor === null) return;
      event.preventDefault();
      editor.focus();
    });
  return {
    setLanguage(name) {
      if (name === current) return;
      current = name;
      editor?.setLanguage(name);
    },
    load() {
      loading ??= load();
      return loading;
    },
    focus() {
      if (editor === null) field.focus();
      else editor.focus();
    },
  };
}

function replaceBy(
  script: CodeEditorScript,
  field: HTMLTextAreaElement,
  codeLanguage: CodeLanguage,
): CodeEditor {
  const host = document.createElement('div');
  host.className = 'code-editor';
  field.after(host);
  const label = field.labels[0]?.textContent ?? '';
  const editor = script.createCodeEditor({
    host,
    label,
    language: codeLanguage,
    text: field.value,
    phrases: texts.phrases,
    selected: [field.selectionStart, field.selectionEnd],
    placeholder: field.placeholder,
    describedBy: texts.keys,
    onChange(text) {
      field.value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    },
  });
  field.classList.add('visually-hidden');
  field.tabIndex = -1;
  field.setAttribute('aria-hidden', 'true');
  return editor;
}

/** Checks the document in a field as it is typed, and says where it is wrong. */
export function checkJson(field: HTMLTextAreaElement): void {
  const said = find('document-said', HTMLElement);
  field.addEventListener('input', () => {
    const text = field.value;
    const isEmpty = text.trim() === '';
    const fault = isEmpty ? null : jsonFaultOf(text);
    if (fault === null) field.removeAttribute('aria-invalid');
    else field.setAttribute('aria-invalid', 'true');
    said.classList.toggle('field-error', fault !== null);
    if (isEmpty) said.textContent = '';
    else if (fault === null)
      said.textContent = publishing.jsonRight(formatSize(new TextEncoder().encode(text).length, language));
    else said.textContent = publishing.jsonWrong(fault.line, fault.column);
  });
}
