import { expect, test } from 'bun:test';
import { plainText, sanitise } from '../../../services/content/render/sanitise.ts';

const UGC = 'rel="noopener nofollow ugc"';

const cases: readonly (readonly [given: string, expected: string])[] = [
  ['<script>alert(1)</script>', ''],
  ['<ScRiPt src=//evil.example></sCrIpT>x', 'x'],
  ['<img src=x onerror=alert(1)>', '<img src="x" />'],
  ['<svg onload=alert(1)><circle/></svg>', ''],
  ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
  ['<a href=" java\tscript:alert(1)">x</a>', '<a>x</a>'],
  ['<a href="&#106;avascript:alert(1)">x</a>', '<a>x</a>'],
  ['<a href="data:text/html,<script>alert(1)</script>">x</a>', '<a>x</a>'],
  ['<a href="vbscript:x">x</a>', '<a>x</a>'],
  ['<img src="data:text/html,x">', '<img />'],
  ['<img src="da\nta:text/html,x">', '<img />'],
  ['<img src="data:image/png;base64,AAAA" alt="dot">', '<img src="data:image/png;base64,AAAA" alt="dot" />'],
  ['<iframe srcdoc="<script>alert(1)</script>"></iframe>', ''],
  ['<form action=/x><input name=a><button>go</button></form>', 'go'],
  ['<style>body{display:none}</style>', ''],
  ['<p style="position:fixed" class="sr-only">x</p>', '<p>x</p>'],
  ['<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>', ''],
  ['<noscript><p title="</noscript><img src=x onerror=alert(1)>">', ''],
  ['<base href="//evil.example/"><meta http-equiv=refresh content="0;url=//evil.example">', ''],
  ['<object data=x></object><embed src=x>', ''],
  ['</main></body><p>x', '<p>x</p>'],
  ['<template><img src=x onerror=alert(1)></template>', ''],
  ['<!--><img src=x onerror=alert(1)>-->', '<img src="x" />--&gt;'],
  ['<img src="x" srcset="javascript:alert(1) 1x, ok.png 2x">', '<img src="x" srcset="ok.png 2x" />'],
  [
    '<details open ontoggle=alert(1)><summary>s</summary>b</details>',
    '<details open><summary>s</summary>b</details>',
  ],
  ['<input type=checkbox onclick=x checked>', '<input type="checkbox" disabled checked aria-label="Done" />'],
  ['<span class="hljs-attr evil title_">t</span>', '<span class="hljs-attr title_">t</span>'],
];

for (const [given, expected] of cases) {
  test(`sanitises ${JSON.stringify(given)}`, () => {
    expect(sanitise(given)).toBe(expected);
  });
}

test('marks links to other hosts, and only those', () => {
  expect(sanitise('<a href="https://a.example" target=_blank rel=opener>x</a>')).toBe(
    `<a href="https://a.example" ${UGC}>x</a>`,
  );
  expect(sanitise('<a href="//a.example">x</a>')).toBe(`<a href="//a.example" ${UGC}>x</a>`);
  expect(sanitise('<a href="\\\\a.example">x</a>')).toBe(`<a href="\\\\a.example" ${UGC}>x</a>`);
  expect(sanitise('<a href="/local" rel="me">x</a>')).toBe('<a href="/local">x</a>');
  expect(sanitise('<a href="#part">x</a>')).toBe('<a href="#part">x</a>');
});

test('keeps the raw HTML that GitHub keeps', () => {
  const kept =
    '<p align="center"><img src="a.png" width="40" height="30" align="right" /></p><kbd>K</kbd><sub>1</sub><sup>2</sup>' +
    '<picture><source media="(prefers-color-scheme: dark)" srcset="d.png" /><img src="l.png" /></picture>' +
    '<table><tr><td colspan="2">x</td></tr></table>';
  expect(sanitise(kept)).toBe(kept);
});

test('gives the text of a piece of HTML', () => {
  expect(plainText('a <b>&lt;i&gt;</b>\n &amp;amp; &copy; <script>x</script>')).toBe('a <i> &amp; ©');
});
