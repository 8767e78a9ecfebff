import { decodeHTML } from 'entities';
import { type PublicMeta, publicMetaTags } from '../pages/public-meta.ts';
import { tagEnd } from './html-tags.ts';
import { asDescription, firstText, type TextElement } from './page-description.ts';

/** Where a page's own tags are looked for: as far as those read who follow links to show them. */
const HEAD_LENGTH = 256 * 1024;

/** Where most pages have their first text. */
const PROLOGUE_LENGTH = 64 * 1024;

/**
 * Puts in what a public page tells search engines and link previews, but for what it brings itself. All else stays as
 * it is. `textIn` is the element that has the page's own text.
 */
export function insertMetaTags(
  document: string,
  { url, title }: Pick<PublicMeta, 'url' | 'title'>,
  textIn: TextElement = 'p',
): string {
  const own = tagsOf(document.slice(0, HEAD_LENGTH));
  const ownDescription = own.get('description') ?? own.get('og:description');
  const description =
    ownDescription === undefined
      ? firstText(document.slice(0, PROLOGUE_LENGTH), textIn)
      : asDescription(ownDescription);
  const markup = publicMetaTags({ url, title, description }, new Set(own.keys())).toString();
  const place = placeInHead(document);
  return document.slice(0, place) + markup + document.slice(place);
}

/** Most pages bring none of them, and need not be parsed to know. */
const MAY_HAVE_TAGS = /canonical|description|og:/i;

/** The tags that a page brings, by name, with their text as it is written. */
function tagsOf(head: string): Map<string, string> {
  const tags = new Map<string, string>();
  if (!MAY_HAVE_TAGS.test(head)) return tags;
  const note = (name: string | null, text: string) => {
    const known = decodeHTML(name ?? '')
      .trim()
      .toLowerCase();
    if ((known === 'description' || known.startsWith('og:')) && !tags.has(known)) tags.set(known, text);
  };
  new HTMLRewriter()
    .on('meta[content]', {
      element(meta) {
        const text = meta.getAttribute('content') ?? '';
        note(meta.getAttribute('name'), text);
        note(meta.getAttribute('property'), text);
      },
    })
    .on('link[rel][href]', {
      element(link) {
        const relations = decodeHTML(link.getAttribute('rel') ?? '').toLowerCase();
        if (relations.split(/\s+/).includes('canonical')) tags.set('canonical', '');
      },
    })
    .transform(head);
  return tags;
}

/** What may stand before the tags, so that a charset stays the first that a page says. */
const BEFORE = /\s+|<!--(?:-?>|[\s\S]*?--!?>)|<!doctype[^>]*>|<\?[^>]*>|(<(?:html|head|meta)(?=[\s/>]))/iy;

/**
 * In front of the first element or text that is neither `<html>`, `<head>` nor `<meta>`: a browser's parser takes what
 * stands there into the head, also where none is written.
 */
function placeInHead(document: string): number {
  let place = 0;
  for (;;) {
    BEFORE.lastIndex = place;
    const found = BEFORE.exec(document);
    if (found === null) return place;
    const end = found[1] === undefined ? BEFORE.lastIndex : tagEnd(document, BEFORE.lastIndex);
    if (end < 0) return place;
    place = end;
  }
}
