/** The languages that the editor highlights. */
export type CodeLanguage = 'MARKDOWN' | 'HTML' | 'TEXT' | 'JSON';

export interface CodeEditorOptions {
  /** The element that becomes the editor. */
  readonly host: HTMLElement;
  readonly text: string;
  /** The text that is selected at first, from one character to before another; the caret alone where both are one. */
  readonly selected: readonly [from: number, to: number];
  readonly language: CodeLanguage;
  /** Its name for assistive technology. */
  readonly label: string;
  readonly describedBy: string;
  readonly placeholder: string;
  /** The texts of CodeMirror in the page's language, by its own. */
  readonly phrases: Readonly<Record<string, string>>;
  /** Is told what the reader has made of the text. */
  onChange(text: string): void;
}

export interface CodeEditor {
  /** Replaces the whole text, without telling `onChange`. It can be undone. */
  setText(text: string): void;
  setLanguage(language: CodeLanguage): void;
  focus(): void;
}

/** Exports of `parts/code-editor.ts`. */
export interface CodeEditorScript {
  createCodeEditor(options: CodeEditorOptions): CodeEditor;
}
