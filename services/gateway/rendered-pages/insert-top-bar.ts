import { html, trusted } from '../../../shared/pages/html.ts';
import { type TopBar, topBar } from '../pages/top-bar.ts';
import { placeOfBody } from './body-place.ts';

const FRAME_CSS =
  'html,body{display:flex;flex-direction:column;margin:0}html{height:100%}body,iframe{flex:1}iframe{border:0}';

/**
 * Puts the bar where a browser's parser opens the body: behind `<body>`, else before the first text or element that
 * opens it, else at the end. The doctype stays first. A frameset page has no body, so it goes whole into a frame below
 * the bar. Where the place cannot be told, the bar goes behind the doctype: a browser opens the body there.
 */
export function insertTopBar(document: string, bar: TopBar): string {
  const markup = topBar(bar).toString();
  const place = placeOfBody(document);
  switch (place.kind) {
    case 'body':
      return document.slice(0, place.at) + markup + document.slice(place.at);
    case 'frameset':
      return frameBelow(document, markup, bar.title);
    case 'end':
      return document + markup;
    default:
      return insertBehindDoctype(document, markup);
  }
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
