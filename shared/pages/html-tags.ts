/** Elements whose content is text, not markup. */
export const TEXT_ELEMENTS: ReadonlySet<string> = new Set(
  'script style textarea noscript iframe xmp noembed noframes title'.split(' '),
);

/** A tag, comment or declaration in markup. */
interface Tag {
  /** Name in lower case; empty for a comment or a declaration. */
  name: string;
  closes: boolean;
  /** Index behind its last character; -1 where it does not end. */
  end: number;
}

/** `<!-->` is a whole one, and `--!>` ends one, too (HTML standard, 13.2.5.43 and on). */
const COMMENT = /<!--(?:-?>|[\s\S]*?--!?>)/y;

const TAG_HEAD = /<(\/?)([a-z][^\t\n\f\r />]*)/iy;

/** Declarations and malformed tags, which browsers parse as comments up to the next `>`. */
const DECLARATION = /<(?:[!?]|\/(?![a-z]))/iy;

/** The tag, comment or declaration that begins at a `<`; `null` where that is text. */
export function tagAt(markup: string, open: number): Tag | null {
  if (markup.startsWith('<!--', open)) return nameless(endOf(COMMENT, markup, open));
  if (endOf(DECLARATION, markup, open) >= 0) return nameless(markup.indexOf('>', open) + 1 || -1);
  TAG_HEAD.lastIndex = open;
  const found = TAG_HEAD.exec(markup);
  if (found === null) return null;
  const [, slash = '', name = ''] = found;
  return { name: name.toLowerCase(), closes: slash === '/', end: tagEnd(markup, TAG_HEAD.lastIndex) };
}

const nameless = (end: number): Tag => ({ name: '', closes: false, end });

/** An attribute's name, with the white space and slashes around it. */
const ATTRIBUTE_NAME = /[\t\n\f\r /]*(?:[^\t\n\f\r />][^\t\n\f\r />=]*)?[\t\n\f\r ]*/y;

/** An attribute's value. Only a quote at its beginning delimits it: `title=don't` is a whole attribute. */
const ATTRIBUTE_VALUE = /=[\t\n\f\r ]*(?:(["'])|[^\t\n\f\r >]*)/y;

/** Where a tag ends, behind its `>`, from the end of its name on; -1 when it does not. Linear, whatever the markup. */
export function tagEnd(markup: string, start: number): number {
  let at = start;
  for (;;) {
    at = endOf(ATTRIBUTE_NAME, markup, at);
    if (markup[at] === '>') return at + 1;
    if (at >= markup.length) return -1;
    if (markup[at] !== '=') continue;
    ATTRIBUTE_VALUE.lastIndex = at;
    const [, quote = ''] = ATTRIBUTE_VALUE.exec(markup) ?? [];
    at = ATTRIBUTE_VALUE.lastIndex;
    if (quote === '') continue;
    at = markup.indexOf(quote, at) + 1;
    if (at === 0) return -1;
  }
}

/** Where the end tag of an element begins whose content is text, such as a script; -1 when there is none. */
export function endTag(markup: string, name: string, from: number): number {
  if (name === 'script') return endOfScript(markup, from);
  const pattern = new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi');
  pattern.lastIndex = from;
  return pattern.exec(markup)?.index ?? -1;
}

/** Marks that change how the text of a script is read: ends of comments in it, and tags named `script`. `<!-->` is a whole comment. */
const SCRIPT_MARK = /<!--(?!-*>)|-->|<(\/?)script(?=[\t\n\f\r />])/gi;

/** Within `<!--` the end tag of a script that was begun there does not end the outer one (HTML standard, 13.2.5.20 and on). */
function endOfScript(markup: string, from: number): number {
  const mark = new RegExp(SCRIPT_MARK);
  mark.lastIndex = from;
  let isHidden = false;
  let isNested = false;
  for (let found = mark.exec(markup); found !== null; found = mark.exec(markup)) {
    const [text, slash] = found;
    if (text === '<!--') isHidden = true;
    else if (text === '-->') isHidden = isNested = false;
    else if (slash === '') isNested = isHidden;
    else if (isNested) isNested = false;
    else return found.index;
  }
  return -1;
}

const ATTRIBUTE = /([^\t\n\f\r />=]+)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >]*)))?/g;

/** The attributes of a tag from its name on, without its `>`: names in lower case, and values as they are written. */
export function* attributesIn(text: string): Generator<readonly [string, string]> {
  for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE))
    yield [name.toLowerCase(), double ?? single ?? bare ?? ''];
}

/**
 * Attributes by name. Of one that comes twice the first counts, as in browsers.
 * @param read makes the value of what is written
 */
export function firstOfEach(
  attributes: Iterable<readonly [string, string]>,
  read: (written: string) => string = (written) => written,
): Map<string, string> {
  const first = new Map<string, string>();
  for (const [name, written] of attributes) if (!first.has(name)) first.set(name, read(written));
  return first;
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : -1;
}
