import { decodeHTML } from 'entities';
import { LIMITS } from '../../../shared/items/item.ts';
import {
  attributesIn,
  endTag,
  firstOfEach,
  TEXT_ELEMENTS,
  tagAt,
  tagEnd,
} from '../../../shared/pages/html-tags.ts';
import { asDescription, firstText, type TextElement } from '../../../shared/pages/page-description.ts';
import { type PublicMeta, publicMetaTags } from '../pages/public-meta.ts';

/** How far into a page its title is looked for, in characters. */
export const TITLE_WITHIN = 65_536;

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
    } else if (!closes && depth === 0 && TEXT_ELEMENTS.has(name)) {
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

/** Characters searched for a page's own meta tags, and for a place for others: as far as the programs read that make link previews. */
const HEAD_LENGTH = 256 * 1024;

/** Characters searched for a page's first text. */
const PROLOGUE_LENGTH = 64 * 1024;

/**
 * Inserts the meta tags of a public page for search engines and link previews, except those that it has itself. All else
 * stays unchanged. `textIn` is the element that has the page's own text.
 */
export function insertMetaTags(
  document: string,
  { url, title, imageUrl }: Pick<PublicMeta, 'url' | 'title' | 'imageUrl'>,
  textIn: TextElement = 'p',
): string {
  const head = document.slice(0, HEAD_LENGTH);
  const own = tagsOf(head);
  const ownDescription = own.get('description') ?? own.get('og:description');
  const description =
    ownDescription === undefined
      ? firstText(document.slice(0, PROLOGUE_LENGTH), textIn)
      : asDescription(ownDescription);
  const markup = publicMetaTags({ url, title, description, imageUrl }, new Set(own.keys())).toString();
  const place = placeInHead(head);
  return document.slice(0, place) + markup + document.slice(place);
}

/** A quick test without parsing: most pages have none of these tags. */
const MAY_HAVE_TAGS = /canonical|description|og:|twitter:/i;

/** The tags that a page brings, by name, with their text as it is written. */
function tagsOf(head: string): Map<string, string> {
  const tags = new Map<string, string>();
  if (!MAY_HAVE_TAGS.test(head)) return tags;
  const note = (name: string, text: string): void => {
    const known = decodeHTML(name).trim().toLowerCase();
    if ((known === 'description' || known.startsWith('og:') || known === 'twitter:card') && !tags.has(known))
      tags.set(known, text);
  };
  let at = head.indexOf('<');
  for (let looked = 0; at >= 0 && looked < MAX_TAGS; looked++) {
    const tag = tagAt(head, at);
    if (tag !== null && tag.end < 0) break;
    const { name, closes, end } = tag ?? { name: '', closes: false, end: at + 1 };
    if (!closes && (name === 'meta' || name === 'link')) {
      const attributes = firstOfEach(attributesIn(head.slice(at + 1 + name.length, end - 1)));
      const content = attributes.get('content');
      if (name === 'meta' && content !== undefined)
        for (const named of ['name', 'property']) note(attributes.get(named) ?? '', content);
      const relations = decodeHTML(attributes.get('rel') ?? '').toLowerCase();
      if (name === 'link' && attributes.has('href') && relations.split(/\s+/).includes('canonical'))
        tags.set('canonical', '');
    }
    const next = !closes && TEXT_ELEMENTS.has(name) ? endTag(head, name, end) : end;
    at = next < 0 ? -1 : head.indexOf('<', next);
  }
  return tags;
}

/** Most tags of a page's beginning that are looked at for its own. */
const MAX_TAGS = 10_000;

/** Markup that stays in front of the inserted tags, so that a charset declaration remains the first tag. */
const BEFORE = /\s+|<!--(?:-?>|[\s\S]*?--!?>)|<!doctype[^>]*>|<\?[^>]*>|(<(?:html|head|meta)(?=[\s/>]))/iy;

/**
 * The index of the first element or text that is neither `<html>`, `<head>` nor `<meta>`. A browser's parser puts tags
 * inserted there into the head, even when the page has no `<head>` tag.
 */
function placeInHead(head: string): number {
  let place = 0;
  for (;;) {
    BEFORE.lastIndex = place;
    const found = BEFORE.exec(head);
    if (found === null) return place;
    const end = found[1] === undefined ? BEFORE.lastIndex : tagEnd(head, BEFORE.lastIndex);
    if (end < 0) return place;
    place = end;
  }
}
