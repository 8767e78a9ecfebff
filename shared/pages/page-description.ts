import { decodeHTML } from 'entities';
import { endTag, tagAt } from './html-tags.ts';

/** Longest description, in characters (code points). */
const MAX_LENGTH = 200;

/** Characters of markup text that suffice for the longest description. */
const WRITTEN_ENOUGH = 4_000;

const words = (text: string): Set<string> => new Set(text.split(' '));

/** Elements whose text says nothing about the page. */
const UNREAD = words(
  'script style title noscript template svg nav button select textarea iframe object audio video canvas',
);

/** Inline elements: their tags may occur inside a word. All others end a word, and (but for `BETWEEN`) a paragraph. */
const INLINE = words(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd mark math q rp rt ruby s samp small span strong sub sup time u var wbr',
);

/** Elements between the words of a paragraph: they end a word, but not the paragraph. */
const BETWEEN = words(
  'br img input hr script style noscript template svg button select textarea iframe object audio video canvas embed label map meter output picture progress',
);

/** The element that has a page's own text: `p` for paragraphs, `code` for the lines of a plain text. */
export type TextElement = 'p' | 'code';

/**
 * The text of a page's first `element` that has any; for a page without paragraphs its first words. `null` for a page
 * without text. Linear in the markup. Not a full HTML parser: an error only makes the description poorer.
 */
export function firstText(markup: string, element: TextElement): string | null {
  const { chosen, all } = read(markup, element);
  return asDescription(chosen) ?? (element === 'p' ? asDescription(all) : null);
}

/** Text as it is written in HTML, as one line of at most 200 characters; `null` when it is blank. */
export function asDescription(written: string): string | null {
  const text = decodeHTML(written.slice(0, 5 * WRITTEN_ENOUGH))
    .replace(/\s+/g, ' ')
    .trim();
  if (text === '') return null;
  const characters = [...text];
  if (characters.length <= MAX_LENGTH) return text;
  const cut = characters.slice(0, MAX_LENGTH - 1).join('');
  const lastSpace = cut.lastIndexOf(' ');
  return `${cut.slice(0, lastSpace > MAX_LENGTH / 2 ? lastSpace : undefined).trimEnd()}…`;
}

function read(markup: string, element: TextElement): { chosen: string; all: string } {
  let [chosen, all] = ['', ''];
  let inside = false;
  const say = (text: string) => {
    all += text;
    if (inside) chosen += text;
  };
  for (let at = 0; at < markup.length && chosen.length < WRITTEN_ENOUGH; ) {
    const open = markup.indexOf('<', at);
    say(markup.slice(at, open < 0 ? undefined : open));
    if (open < 0) break;
    const tag = tagAt(markup, open);
    if (tag === null) {
      say('<');
      at = open + 1;
      continue;
    }
    if (tag.end < 0) break;
    at = tag.end;
    const { name, closes } = tag;
    if (!INLINE.has(name)) say(' ');
    if (name === element ? closes : inside && !INLINE.has(name) && !BETWEEN.has(name)) {
      if (chosen.trim() !== '') break;
      inside = false;
    }
    if (name === element && !closes) {
      if (chosen.trim() !== '') break;
      inside = true;
    }
    if (!closes && (UNREAD.has(name) || name === 'math')) {
      at = endTag(markup, name, at);
      if (at < 0) break;
      if (name === 'math') say(formulaText(markup.slice(tag.end, at)));
    }
  }
  return { chosen, all };
}

/** Signs of a formula above, below or inside others, and functions: its text alone does not tell `a/b` from `ab`. */
const LAID_OUT = /<m(?:frac|sub|sup|under|over|root|sqrt|table|multi)|\u2061/i;

/** The source of a formula, as KaTeX, MathJax and pandoc write it. */
const TEX = /<annotation encoding="application\/x-tex">([^<]*)/i;

/** A formula as text, from the markup inside its `<math>`: its signs, or its TeX where their places matter. */
function formulaText(markup: string): string {
  const [signs = ''] = markup.split(/<annotation/i, 1);
  const tex = LAID_OUT.test(signs) ? TEX.exec(markup)?.[1] : undefined;
  return tex ?? signs.replace(/<[^<>]*>/g, '');
}
