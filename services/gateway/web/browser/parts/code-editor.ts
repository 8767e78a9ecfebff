/**
 * CodeMirror in the colours of the service. A script of its own, loaded when somebody begins to write. The editor stands in a shadow
 * root: there CodeMirror uses constructable style sheets, which the policy of the pages allows, and no style elements.
 */
import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands';
import { html } from '@codemirror/lang-html';
import { json } from '@codemirror/lang-json';
import { markdown, markdownLanguage } from '@codemirror/lang-markdown';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The languages that the editor highlights. */
export type CodeLanguage = 'MARKDOWN' | 'HTML' | 'TEXT' | 'JSON';

interface CodeEditorOptions {
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
  /** Replaces the whole text, without telling `onChange`. Undo takes it back. */
  setText(text: string): void;
  setLanguage(language: CodeLanguage): void;
  focus(): void;
}

const LANGUAGES: Readonly<Record<CodeLanguage, () => Extension>> = {
  // GitHub's markdown, with the languages inside it.
  MARKDOWN: () => markdown({ base: markdownLanguage, addKeymap: true }),
  HTML: () => html(),
  JSON: () => json(),
  TEXT: () => [],
};

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'transparent', fontSize: '0.875rem' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '0.5rem 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 0.7rem 0 0.4rem' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--muted)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 0.3rem 0 0.6rem', minWidth: '1.9rem' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--text) 4%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection':
    { backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--accent) 14%, transparent)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn-border)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--warn-border)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--bg-strong)' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-panels': { backgroundColor: 'var(--bg-soft)', color: 'var(--text)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panel.cm-search': { padding: '0.4rem 2rem 0.5rem 0.5rem', font: '0.8125rem / 1.6 var(--sans)' },
  '.cm-panel.cm-search label': { fontSize: '0.8125rem' },
  '.cm-panel.cm-search [name=close]': { fontSize: '1.25rem', color: 'var(--text)' },
  '.cm-textfield': { padding: '0.2rem 0.4rem', border: '1px solid var(--border-strong)', font: 'inherit' },
  '.cm-textfield, .cm-button': { borderRadius: '5px', backgroundColor: 'var(--bg)', color: 'var(--text)' },
  '.cm-button': {
    padding: '0.2rem 0.6rem',
    border: '1px solid var(--border-strong)',
    backgroundImage: 'none',
    font: 'inherit',
    '&:active': { backgroundImage: 'none' },
  },
});

/** The colours of rendered code (`services/content/render/code.css`). */
const COLOURS = HighlightStyle.define([
  { tag: [tags.comment, tags.meta, tags.quote, tags.documentMeta], color: 'var(--muted)' },
  { tag: [tags.keyword, tags.typeName], color: 'light-dark(#b3202c, #ff8f87)' },
  { tag: tags.heading, color: 'light-dark(#6639ba, #d2b0ff)', fontWeight: '650' },
  { tag: [tags.string, tags.regexp], color: 'light-dark(#0a3a78, #a9d5ff)' },
  {
    tag: [tags.number, tags.bool, tags.null, tags.attributeName, tags.propertyName, tags.link, tags.url],
    color: 'light-dark(#0550ae, #7fc1ff)',
  },
  { tag: [tags.monospace, tags.labelName], color: 'light-dark(#8a3a00, #ffb26b)' },
  { tag: [tags.tagName, tags.angleBracket], color: 'light-dark(#116329, #7ee291)' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
]);

/**
 * Writes over a selection itself. Chromium would give the new text the colours of the old one by an inline style, which the
 * policy of the pages refuses.
 */
const writeOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (inputType !== 'insertText' || data === null || isComposing || view.state.selection.main.empty)
      return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

/** Marks what the page itself puts into the editor. */
const fromPage = Annotation.define<boolean>();

export function createCodeEditor(options: CodeEditorOptions): CodeEditor {
  const { host, label, describedBy } = options;
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(':host { display: block; height: 100% }');
  root.adoptedStyleSheets = [sheet];
  const language = new Compartment();
  const within = (place: number): number => Math.min(place, options.text.length);
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      selection: { anchor: within(options.selected[0]), head: within(options.selected[1]) },
      extensions: [
        ...[lineNumbers(), highlightActiveLineGutter(), highlightSpecialChars(), history(), drawSelection()],
        ...[indentOnInput(), bracketMatching(), highlightActiveLine(), highlightSelectionMatches()],
        ...[search({ top: true }), writeOverSelection],
        syntaxHighlighting(COLOURS),
        // Tab goes on to the next field: whoever has no mouse must get out again.
        keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap]),
        EditorView.lineWrapping,
        placeholder(options.placeholder),
        THEME,
        EditorState.phrases.of(options.phrases),
        EditorView.contentAttributes.of({
          'aria-label': label,
          ...(describedBy === '' ? {} : { 'aria-description': describedBy }),
          spellcheck: 'false',
          autocapitalize: 'off',
          // Editable, it has the focus anyway; not every tool knows.
          tabindex: '0',
        }),
        language.of(LANGUAGES[options.language]()),
        EditorView.updateListener.of(({ docChanged, transactions, state }) => {
          if (docChanged && !transactions.some((one) => one.annotation(fromPage)))
            options.onChange(state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText(text) {
      const { doc } = view.state;
      if (doc.toString() === text) return;
      view.dispatch({
        changes: { from: 0, to: doc.length, insert: text },
        // A step of its own: undoing it leaves what was typed just before.
        annotations: [fromPage.of(true), isolateHistory.of('full')],
      });
    },
    setLanguage(name) {
      view.dispatch({ effects: language.reconfigure(LANGUAGES[name]()) });
    },
    focus: () => view.focus(),
  };
}
