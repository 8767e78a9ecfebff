import { bytes } from './bytes.ts';
import { accepted, type HostileFile, rejected, SCRIPT } from './hostile-file.ts';

const SVG_NS = 'xmlns="http://www.w3.org/2000/svg"';
const XHTML_NS = 'xmlns="http://www.w3.org/1999/xhtml"';

const svg = (name: string, content: string): HostileFile =>
  accepted(`SVG ${name}`, `${name.replace(/\W+/g, '-')}.svg`, bytes(content), 'image/svg+xml');

const notSvg = (name: string, content: string): HostileFile =>
  rejected(`SVG extension on ${name}`, `${name.replace(/\W+/g, '-')}.svg`, bytes(content));

const xml = (name: string, content: string): HostileFile =>
  accepted(`XML ${name}`, `${name.replace(/\W+/g, '-')}.xml`, bytes(content), 'text/xml; charset=utf-8');

/** Markup that browsers run where they may: it is kept as it is, and served where it may not. */
export const ACTIVE_TEXT: HostileFile[] = [
  svg('with a script', `<svg ${SVG_NS}><script>${SCRIPT}</script></svg>`),
  svg(
    'with a script as data',
    `<svg ${SVG_NS}><script href="data:text/javascript,${encodeURIComponent(SCRIPT)}"/></svg>`,
  ),
  svg('with onload', `<svg ${SVG_NS} onload="${SCRIPT}"/>`),
  svg(
    'with an animation that begins',
    `<svg ${SVG_NS}><animate attributeName="x" dur="1s" onbegin="${SCRIPT}"/></svg>`,
  ),
  svg(
    'with HTML inside',
    `<svg ${SVG_NS}><foreignObject><body ${XHTML_NS}><img src="x:" onerror="${SCRIPT}"/><iframe srcdoc="&lt;script>${SCRIPT}&lt;/script>"/></body></foreignObject></svg>`,
  ),
  svg(
    'with a link that is a script',
    `<svg ${SVG_NS} xmlns:xlink="http://www.w3.org/1999/xlink"><a xlink:href="javascript:${SCRIPT}"><text y="20">click</text></a></svg>`,
  ),
  svg(
    'with an external entity',
    `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg ${SVG_NS}><text>&x;</text></svg>`,
  ),
  svg(
    'with a thousand million laughs',
    `<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "${'&a;'.repeat(10)}"><!ENTITY c "${'&b;'.repeat(10)}">]><svg ${SVG_NS}><text>&c;</text></svg>`,
  ),
  svg(
    'behind prolog, comment and document type',
    `\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!-- <html> don't -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n<svg ${SVG_NS}/>`,
  ),
  svg('with a prefix', `<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>${SCRIPT}</s:script></s:svg>`),
  svg(
    'with a style sheet that is a script',
    `<?xml-stylesheet type="text/xsl" href="data:text/xml,x"?><svg ${SVG_NS}/>`,
  ),
  svg('of another namespace', `<svg ${XHTML_NS}><script>${SCRIPT}</script></svg>`),
  notSvg('XHTML', `<html ${XHTML_NS}><script>${SCRIPT}</script></html>`),
  notSvg('HTML with an SVG in it', `<body><svg ${SVG_NS}></svg><script>${SCRIPT}</script></body>`),
  notSvg('a comment only', '<!-- <svg> -->'),
  notSvg('an open comment', '<!-- <svg>'),
  notSvg('an open document type', '<!DOCTYPE svg [ <svg>'),
  notSvg('text', 'svg'),
  notSvg('another root', `<svgx ${SVG_NS}/>`),
  xml('with an XHTML script', `<x><script ${XHTML_NS}>${SCRIPT}</script></x>`),
  xml(
    'that is XHTML',
    `<?xml version="1.0"?><html ${XHTML_NS}><body onload="${SCRIPT}"><script>${SCRIPT}</script></body></html>`,
  ),
  xml('that is SVG', `<svg ${SVG_NS} onload="${SCRIPT}"/>`),
  xml(
    'that styles itself',
    `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#s"?><x:stylesheet id="s" version="1.0" xmlns:x="http://www.w3.org/1999/XSL/Transform"><x:template match="/"><html><script>${SCRIPT}</script></html></x:template></x:stylesheet>`,
  ),
  xml('with an external entity', '<!DOCTYPE x [<!ENTITY e SYSTEM "http://127.0.0.1/">]><x>&e;</x>'),
  accepted(
    'page with a script',
    'index.html',
    bytes(`<script>${SCRIPT}</script>`),
    'text/html; charset=utf-8',
  ),
  accepted(
    'page that loads itself again',
    'refresh.htm',
    bytes(`<meta http-equiv="refresh" content="0;url=data:text/html,<script>${SCRIPT}</script>">`),
    'text/html; charset=utf-8',
  ),
  accepted(
    'page with a base elsewhere',
    'base.html',
    bytes(`<base href="http://127.0.0.1/"><form><input name=p></form>`),
    'text/html; charset=utf-8',
  ),
  accepted(
    'markdown with a script',
    'notes.md',
    bytes(`# x\n<script>${SCRIPT}</script>\n[a](javascript:${encodeURIComponent(SCRIPT)})`),
    'text/markdown; charset=utf-8',
  ),
  accepted('module', 'module.mjs', bytes(SCRIPT), 'text/javascript; charset=utf-8'),
  accepted('JSX', 'view.jsx', bytes(`<script>${SCRIPT}</script>`), 'text/plain; charset=utf-8'),
  accepted(
    'worker script',
    'sw.js',
    bytes("self.addEventListener('fetch',e=>e.respondWith(new Response('taken')))"),
    'text/javascript; charset=utf-8',
  ),
  accepted(
    'table with a formula',
    'sheet.csv',
    bytes('=cmd|\'/c calc\'!A1,"<script>"\n'),
    'text/csv; charset=utf-8',
  ),
];
