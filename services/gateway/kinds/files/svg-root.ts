const PROLOG_CHARACTERS = 65_536;
const WHITE_SPACE = /\s+/y;
const ROOT = /<(?:[A-Za-z_][\w.-]{0,100}:)?svg[\s/>]/y;
const DOCTYPE_HEAD = /<!DOCTYPE(?:"[^"]*"|'[^']*'|[^"'[>])*[[>]/y;
const SUBSET_END = /\]\s*>/g;

/**
 * Whether a text is an XML document whose root element is `svg`: behind white space, instructions, comments and a
 * document type (XML 1.0, section 2.8). Only so far as a prolog can sensibly be long.
 */
export function hasSvgRoot(whole: string): boolean {
  const text = whole.slice(0, PROLOG_CHARACTERS);
  let at = 0;
  for (;;) {
    const end = prologPartEnd(text, at);
    if (end === null) return endOf(ROOT, text, at) !== null;
    at = end;
  }
}

/** Where the part of the prolog ends that begins there, or `null` when there is none. */
function prologPartEnd(text: string, at: number): number | null {
  if (text.startsWith('<!--', at)) return behind(text, '-->', at + 4);
  if (text.startsWith('<?', at)) return behind(text, '?>', at + 2);
  if (!text.startsWith('<!', at)) return endOf(WHITE_SPACE, text, at);
  const head = endOf(DOCTYPE_HEAD, text, at);
  return head !== null && text[head - 1] === '[' ? endOf(SUBSET_END, text, head) : head;
}

function endOf(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function behind(text: string, mark: string, from: number): number | null {
  const found = text.indexOf(mark, from);
  return found < 0 ? null : found + mark.length;
}
