import { html, trusted } from '../../../shared/pages/html.ts';
import { type TopBar, topBar } from '../pages/top-bar.ts';

/** Elements that may stand before the body. The text in them is not the page's. */
const HEAD_ELEMENTS = new Set(
  'base basefont bgsound link meta noframes noscript script style template title'.split(' '),
);

const FRAME_CSS =
  'html,body{display:flex;flex-direction:column;margin:0}html{height:100%}body,iframe{flex:1}iframe{border:0}';

/** Where most pages have opened their body. The rest of a long page need not be parsed. */
const PROLOGUE_LENGTH = 64 * 1024;

/**
 * Puts the bar where a browser's parser opens the body: behind `<body>`, else before the first text or element that
 * opens it, else at the end. The doctype stays first. A frameset page has no body, so it goes whole into a frame below
 * the bar. Linear in the document; a place within the first 64 KB costs no more than those. Where far more than a page of text is marked up
 * piece by piece, the bar goes behind the doctype: a browser opens the body there.
 */
export function insertTopBar(document: string, bar: TopBar): string {
  const markup = topBar(bar).toString();
  const cut = document.lastIndexOf('>', PROLOGUE_LENGTH) + 1;
  const long = document.length > PROLOGUE_LENGTH && cut > 0;
  const prologue = long ? insertAtBody(document.slice(0, cut), markup) : null;
  if (prologue?.place === 'body') return prologue.text + document.slice(cut);

  if (long && isDense(document)) return insertBehindDoctype(document, markup);
  const whole = insertAtBody(document, markup);
  if (whole.place === 'body') return whole.text;
  if (whole.place === 'frameset') return frameBelow(document, markup, bar.title);
  if (whole.place === 'end') return document + markup;
  return insertBehindDoctype(document, markup);
}

/** Each element costs a callback: 5 MB of elements would block the gateway's event loop for two seconds. */
const MOST_ELEMENTS = 50_000;

function isDense(document: string): boolean {
  let count = 0;
  for (let at = document.indexOf('<'); at >= 0; at = document.indexOf('<', at + 1)) {
    count += 1;
    if (count > MOST_ELEMENTS) return true;
  }
  return false;
}

type Place = 'body' | 'frameset' | 'end' | 'unreachable';

/** `unreachable`: the document ends inside a comment or an element of the head, which would swallow the bar. */
function insertAtBody(document: string, markup: string): { readonly text: string; readonly place: Place } {
  let place: Place | null = null;
  let headDepth = 0;
  const text = new HTMLRewriter()
    .on('*', {
      element(element) {
        if (place !== null || element.tagName === 'html' || element.tagName === 'head') return;
        if (HEAD_ELEMENTS.has(element.tagName) || headDepth > 0) {
          if (!element.canHaveContent) return;
          headDepth += 1;
          element.onEndTag(() => {
            headDepth -= 1;
          });
        } else if (element.tagName === 'frameset') {
          place = 'frameset';
        } else {
          place = 'body';
          if (element.tagName === 'body') element.prepend(markup, { html: true });
          else element.before(markup, { html: true });
        }
      },
    })
    .onDocument({
      text(chunk) {
        if (place !== null || headDepth > 0 || chunk.text.trim() === '') return;
        place = 'body';
        chunk.before(markup, { html: true });
      },
    })
    .transform(document);
  const inComment = document.lastIndexOf('<!--') > document.lastIndexOf('-->');
  return { text, place: place ?? (headDepth > 0 || inComment ? 'unreachable' : 'end') };
}

/** `srcdoc` keeps the sandbox, the base URL of the frames, and needs no second request. */
function frameBelow(document: string, markup: string, title: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${trusted(FRAME_CSS)}</style>
</head>
<body>${trusted(markup)}<iframe title="${title}" srcdoc="${document}"></iframe></body>
</html>
`.toString();
}

function insertBehindDoctype(document: string, markup: string): string {
  const end = doctypeEnd(document);
  return document.slice(0, end) + markup + document.slice(end);
}

/** Where the doctype ends, 0 without one. In steps, because one pattern for all of it would backtrack without end. */
function doctypeEnd(document: string): number {
  const beforeDoctype = /\s+|<!--(?:-?>|[\s\S]*?--!?>)/y;
  let start = 0;
  while (beforeDoctype.test(document)) start = beforeDoctype.lastIndex;
  const doctype = /<!doctype[^>]*>/iy;
  doctype.lastIndex = start;
  return doctype.test(document) ? doctype.lastIndex : 0;
}
