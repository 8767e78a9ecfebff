import { createRequire } from 'node:module';

interface Highlighter {
  getLanguage(name: string): { readonly name?: string } | undefined;
  registerLanguage(name: string, language: unknown): void;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string };
}

// Not imported: the package's types pull in the DOM library, which changes the types of streams, workers and events
// throughout the project.
const require = createRequire(import.meta.url);
const hljs: Highlighter = require('highlight.js/lib/common');

/** Languages of files that are admitted, beyond those that the package calls common. */
const MORE_LANGUAGES = [
  ...[
    'scala',
    'groovy',
    'fsharp',
    'dart',
    'julia',
    'haskell',
    'ocaml',
    'elixir',
    'erlang',
    'clojure',
    'lisp',
  ],
  ...['powershell', 'protobuf', 'properties', 'dockerfile', 'cmake', 'nix', 'nginx', 'latex'],
];
for (const name of MORE_LANGUAGES) hljs.registerLanguage(name, require(`highlight.js/lib/languages/${name}`));

/**
 * Longest line that is highlighted, in UTF-16 code units. Patterns of some languages take time that grows with the square of
 * a line, in one step that only SIGKILL ends.
 */
const MAX_LINE = 2_000;

/**
 * Longest run of blanks, line ends, letters and digits alone that is highlighted: code has punctuation. Some languages take
 * time that grows with the square of such a run.
 */
const MAX_RUN = 1_000;
const PUNCTUATION = /[^\p{L}\p{N}_\s]+/u;

/**
 * Highlighted HTML (spans of class `hljs-…` around escaped text), or null when the language is unknown or plain, or a line or a
 * run without punctuation is too long.
 * Time grows with the text and with hostile input: callers cap the size and run in the render process, under its deadline.
 */
export function highlight(code: string, language: string): string | null {
  if (!hljs.getLanguage(language) || language === 'plaintext') return null;
  if (code.split('\n').some((line) => line.length > MAX_LINE)) return null;
  if (code.split(PUNCTUATION).some((run) => run.length > MAX_RUN)) return null;
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

/** The language's display name (`YAML`), or null when it is unknown. */
export function languageName(language: string): string | null {
  return hljs.getLanguage(language)?.name ?? null;
}
