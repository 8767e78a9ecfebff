import { decodeHTML } from 'entities';
import {
  attributesIn,
  endTag,
  firstOfEach,
  TEXT_ELEMENTS,
  tagAt,
} from '../../../../shared/pages/html-tags.ts';

/** Most tags of a page, or what looks like one, that are looked at: few pages have more, and it bounds the work. */
const MAX_TAGS = 10_000;

/** Most attributes of all tags together, and addresses in their values and in styles, that are looked at. */
const MAX_PARTS = 20_000;

/** Elements whose `src` is loaded with the page. */
const WITH_SRC = new Set('img script iframe audio video source track embed input frame'.split(' '));

/** A page that contains none of these words loads no file: a cheap first check. */
const ANY_ADDRESS = /src|poster|data|href|style/i;

/** Addresses in a stylesheet; those in comments count, too. */
const STYLE_URL = /url\(\s*(?:"([^"]{0,2000})"|'([^']{0,2000})'|([^"'()\s]{1,2000}))\s*\)/gi;
const STYLE_IMPORT = /@import\s+(?:"([^"]{0,2000})"|'([^']{0,2000})')/gi;

/**
 * The relative addresses that an HTML page loads when it is shown: pictures, scripts, frames, stylesheets, `srcset`,
 * `poster`, and `url()` in its styles. A page of its own has none of these files. Each once, in order, as written.
 * @param max how many are gathered; the rest is not looked for
 */
export function localAssets(html: string, max: number): string[] {
  if (!ANY_ADDRESS.test(html)) return [];
  const found = new Set<string>();
  const note = (written: string): void => {
    const address = written.trim();
    if (found.size < max && isRelative(address)) found.add(address.slice(0, 500));
  };
  let tags = 0;
  let parts = 0;
  /** The elements of an iterable, until so many have been looked at in the whole page. */
  function* bounded<T>(all: Iterable<T>): Iterable<T> {
    for (const one of all) {
      parts += 1;
      if (parts > MAX_PARTS) return;
      yield one;
    }
  }
  for (
    let at = html.indexOf('<');
    at >= 0 && found.size < max && tags < MAX_TAGS;
    at = html.indexOf('<', at)
  ) {
    const tag = tagAt(html, at);
    tags += 1;
    if (tag === null) {
      at += 1;
      continue;
    }
    const { name, closes, end } = tag;
    if (end < 0) break;
    if (!closes && name !== '') {
      const attributes = attributesOf(html.slice(at + 1 + name.length, end - 1), bounded);
      // Relative addresses lead to where the base address says.
      if (name === 'base' && attributes.has('href')) return [];
      noteElement(name, attributes, note, bounded);
    }
    at = end;
    if (closes || !TEXT_ELEMENTS.has(name)) continue;
    const close = endTag(html, name, end);
    if (name === 'style') noteStyles(html.slice(end, close < 0 ? undefined : close), note, bounded);
    if (close < 0) break;
    at = close;
  }
  return [...found];
}

type Bounded = <T>(all: Iterable<T>) => Iterable<T>;

function noteElement(
  name: string,
  attributes: Map<string, string>,
  note: (address: string) => void,
  bounded: Bounded,
): void {
  const src = attributes.get('src');
  if (src !== undefined && WITH_SRC.has(name)) note(src);
  const poster = attributes.get('poster');
  if (poster !== undefined && name === 'video') note(poster);
  const data = attributes.get('data');
  if (data !== undefined && name === 'object') note(data);
  const srcset = attributes.get('srcset');
  if (srcset !== undefined && (name === 'img' || name === 'source'))
    for (const candidate of bounded(srcset.split(/,\s+|,$/, MAX_PARTS)))
      note(candidate.trim().split(/\s/, 1)[0] ?? '');
  const href = attributes.get('href');
  const isStylesheet = /(?:^|\s)stylesheet(?:\s|$)/i.test(attributes.get('rel') ?? '');
  if (href !== undefined && name === 'link' && isStylesheet) note(href);
  const style = attributes.get('style');
  if (style !== undefined) noteStyles(style, note, bounded);
}

function noteStyles(css: string, note: (address: string) => void, bounded: Bounded): void {
  for (const pattern of [STYLE_URL, STYLE_IMPORT])
    for (const [, double, single, bare] of bounded(css.matchAll(pattern)))
      note(double ?? single ?? bare ?? '');
}

const attributesOf = (text: string, bounded: Bounded): Map<string, string> =>
  firstOfEach(bounded(attributesIn(text)), (written) => decodeHTML(written));

/**
 * Whether an address names a file beside the page. One with a scheme or a host leads elsewhere; `#part` and `?query` lead
 * to the page itself.
 */
const isRelative = (address: string): boolean =>
  address !== '' && !/^(?:[a-z][a-z0-9+.-]*:|[/\\]{2}|[#?])/i.test(address) && address !== '/';
