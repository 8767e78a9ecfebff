import { decodeHTML } from 'entities';
import { LIMITS } from '../../../shared/items/item.ts';
import { endTag, tagAt } from '../../../shared/pages/html-tags.ts';

/** How far into a page its title is looked for, in characters. */
export const TITLE_WITHIN = 65_536;

/** Elements whose content is text, not markup. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'noscript', 'iframe', 'xmp', 'noembed', 'noframes']);

/** Elements with titles that are not the page's: those of a drawing, a formula, or an unused template. */
const OTHERS = new Set(['svg', 'math', 'template']);

/** The text of an HTML page's `<title>`, or `null`. Takes linear time for any input. */
export function htmlTitle(html: string): string | null {
  const markup = html.slice(0, TITLE_WITHIN);
  let depth = 0;
  for (let at = markup.indexOf('<'); at >= 0; at = markup.indexOf('<', at)) {
    const tag = tagAt(markup, at);
    at = tag === null ? at + 1 : tag.end;
    if (at < 0) return null;
    if (tag === null) continue;
    const { name, closes, end } = tag;
    if (OTHERS.has(name)) {
      if (closes) depth = Math.max(0, depth - 1);
      else if (name === 'template' || markup[end - 2] !== '/') depth += 1;
    } else if (!closes && depth === 0 && (name === 'title' || RAW_TEXT.has(name))) {
      at = endTag(markup, name, end);
      if (at < 0) return null;
      if (name === 'title') return asTitle(markup.slice(end, at));
    }
  }
  return null;
}

function asTitle(written: string): string | null {
  const title = decodeHTML(written)
    .replace(/(?!\s)\p{Cc}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
  return title === '' ? null : [...title].slice(0, LIMITS.titleCharacters).join('');
}
