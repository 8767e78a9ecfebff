import { endTag, TEXT_ELEMENTS, tagAt } from '../../../shared/pages/html-tags.ts';

/** Elements that may stand before the body: without content, and with text that is not the page's. */
const EMPTY_ELEMENTS = new Set('base basefont bgsound link meta'.split(' '));
const HEAD_TEXT_ELEMENTS = new Set('noframes noscript script style title'.split(' '));

/** Most tags before the body that are looked at, comments included: few pages have a hundred, and it bounds the work. */
const MAX_TAGS = 10_000;

/** Where a browser's parser opens the body. */
export type BodyPlace =
  /** Behind `<body>`, or before the first text or element that opens it. */
  | { kind: 'body'; at: number }
  | { kind: 'frameset' }
  /** Nothing in the document opens it. */
  | { kind: 'end' }
  /** The document ends inside a comment, a tag or an element of the head, which would swallow what is put there; or more than `MAX_TAGS` come first. */
  | { kind: 'unreachable' };

/** Linear in what stands before the body, whatever it is: at most `MAX_TAGS` tags. */
export function placeOfBody(document: string): BodyPlace {
  let templates = 0;
  let at = 0;
  for (let tags = 0; tags < MAX_TAGS; tags++) {
    const open = document.indexOf('<', at);
    const text = document.slice(at, open < 0 ? undefined : open);
    if (templates === 0 && text.trim() !== '') return { kind: 'body', at };
    if (open < 0) return { kind: templates > 0 ? 'unreachable' : 'end' };
    const tag = tagAt(document, open);
    if (tag === null && templates === 0) return { kind: 'body', at };
    if (tag !== null && tag.end < 0) return { kind: 'unreachable' };
    const { name, closes, end } = tag ?? { name: '', closes: false, end: open + 1 };
    at = end;
    if (name === 'template') templates = Math.max(0, templates + (closes ? -1 : 1));
    else if (templates > 0 && name === 'plaintext') return { kind: 'unreachable' };
    else if (!closes && (templates > 0 ? TEXT_ELEMENTS : HEAD_TEXT_ELEMENTS).has(name)) {
      at = endTag(document, name, end);
      if (at < 0) return { kind: 'unreachable' };
    } else if (templates === 0 && !closes && opensBody(name)) {
      if (name === 'frameset') return { kind: 'frameset' };
      return { kind: 'body', at: name === 'body' ? end : open };
    }
  }
  return { kind: 'unreachable' };
}

/** Comments and declarations have no name. */
const opensBody = (name: string): boolean =>
  name !== '' && name !== 'html' && name !== 'head' && !EMPTY_ELEMENTS.has(name);
