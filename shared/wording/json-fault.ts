/** A place in a text, counted from 1; columns in the units that a string of JavaScript has. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
  /** Whether it is the end of the text, which lacks something. */
  readonly isEnd: boolean;
}

/**
 * Where a text ends being JSON (RFC 8259): at the first character that cannot follow those before it, or that begins what
 * cannot; `null` for JSON. Not every engine's own parser tells it.
 */
export function jsonFaultOf(text: string): TextPlace | null {
  const at = faultAt(text);
  if (at === null) return null;
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: at - start + 1, isEnd: at === text.length };
}

const SPACE = /[ \t\n\r]*/y;
const COMMA = /,/y;
const COLON = /:/y;
const QUOTE = /"/y;
const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** The characters of a string that stand for themselves. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON forbids in strings
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['{', '}'],
  ['[', ']'],
]);

/** Reads the text once and without recursion, so that neither length nor nesting is too much for it. */
function faultAt(text: string): number | null {
  /** The closing brackets that are due, the innermost last. */
  const due: string[] = [];
  let at = 0;

  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  const takeOpening = (): boolean => {
    const close = CLOSING.get(text.charAt(at));
    if (close === undefined) return false;
    due.push(close);
    at += 1;
    return true;
  };
  const takeClosing = (): boolean => {
    if (due.length === 0 || text.charAt(at) !== due.at(-1)) return false;
    due.pop();
    at += 1;
    return true;
  };
  const takeString = (): boolean => {
    if (!take(QUOTE)) return false;
    do {
      take(PLAIN);
      if (take(QUOTE)) return true;
    } while (take(ESCAPE));
    return false;
  };
  /** In an object, the name of a member; in a list there is none to take. */
  const takeName = (): boolean => due.at(-1) !== '}' || (takeString() && take(SPACE) && take(COLON));

  for (;;) {
    take(SPACE);
    if (takeOpening()) {
      take(SPACE);
      if (!takeClosing()) {
        if (takeName()) continue;
        return at;
      }
    } else if (!take(NUMBER_OR_WORD) && !takeString()) return at;
    take(SPACE);
    while (takeClosing()) take(SPACE);
    if (due.length === 0) return at < text.length ? at : null;
    if (!take(COMMA)) return at;
    take(SPACE);
    if (!takeName()) return at;
  }
}
