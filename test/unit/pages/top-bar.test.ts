import { expect, test } from 'bun:test';
import { TOP_BAR_SCRIPT_SHA256 } from '../../../services/gateway/pages/top-bar.ts';
import { insertTopBar } from '../../../services/gateway/rendered-pages/insert-top-bar.ts';

const BAR = {
  title: '</template><script>alert("x")</script>',
  format: 'HTML',
  downloadUrl: '/public/a?dl=true&p="><script>',
  reportUrl: '/report?url=a',
  rawUrl: '/public/a?raw=true',
  sizeBytes: 2048,
  expiresAt: new Date('2026-12-06T07:20:21.000Z'),
  version: 'v1',
} as const;

/** The document with `[BAR]` in place of the bar, so that only its place is compared. */
function place(document: string): string {
  return insertTopBar(document, BAR).replace(/<perch-bar .*?<\/perch-bar>/gs, '[BAR]');
}

test.each([
  ['<!doctype html><html><body class="a"><p>x', '<!doctype html><html><body class="a">[BAR]<p>x'],
  [
    '<!DOCTYPE HTML><HTML><HEAD><TITLE>x</TITLE></HEAD>\n<BODY>x',
    '<!DOCTYPE HTML><HTML><HEAD><TITLE>x</TITLE></HEAD>\n<BODY>[BAR]x',
  ],
  [
    '<!-- c --><!doctype html><title><body></title><p>x',
    '<!-- c --><!doctype html><title><body></title>[BAR]<p>x',
  ],
  ['<script>"<body>"</script><style>p{}</style><p>x', '<script>"<body>"</script><style>p{}</style>[BAR]<p>x'],
  [
    '<template><div>a</div></template><link><meta> text',
    '<template><div>a</div></template><link><meta>[BAR] text',
  ],
  ['<head><div>x</div></head><body>y', '<head>[BAR]<div>x</div></head><body>y'],
  ['<h1>Fragment</h1>', '[BAR]<h1>Fragment</h1>'],
  ['only text', '[BAR]only text'],
  ['<svg><body></svg>', '[BAR]<svg><body></svg>'],
  ['', '[BAR]'],
  ['<!doctype html>', '<!doctype html>[BAR]'],
  [
    '<!doctype html><title>x</title><script>go()</script>',
    '<!doctype html><title>x</title><script>go()</script>[BAR]',
  ],
  ['<!doctype html><title>unclosed', '<!doctype html>[BAR]<title>unclosed'],
  ['<!doctype html><!-- unclosed', '<!doctype html>[BAR]<!-- unclosed'],
  ['<!doctype html><body><p>a<body>b', '<!doctype html><body>[BAR]<p>a<body>b'],
])('puts the bar where the body opens in %j', (document, expected) => {
  expect(place(document)).toBe(expected);
});

test('puts a frameset whole into a frame below the bar', () => {
  const frameset =
    '<html><frameset cols="1,2"><frame src="a.html"><noframes><body>n</body></noframes></frameset></html>';
  const framed = place(frameset);
  expect(framed).toStartWith('<!doctype html>\n<html lang="en">');
  expect(framed).toContain(`<body>[BAR]<iframe title="&lt;/template&gt;`);
  expect(framed).toContain(`srcdoc="${Bun.escapeHTML(frameset)}"></iframe></body>`);
});

test('leaves long documents as they are around the bar', () => {
  const rest = `${'<p title="a>b">é🐦</p>'.repeat(20_000)}</body></html>`;
  expect(place(`<!doctype html><body>${rest}`)).toBe(`<!doctype html><body>[BAR]${rest}`);
  const late = `<!doctype html><style>${'p > a {}'.repeat(20_000)}</style>`;
  expect(place(`${late}<p>x`)).toBe(`${late}[BAR]<p>x`);
  const unbroken = 'x'.repeat(200_000);
  expect(place(unbroken)).toBe(`[BAR]${unbroken}`);
});

test('up to 10,000 tags before the body are looked at; behind more the bar goes behind the doctype', () => {
  const head = (tags: number) => `<!doctype html>${'<link>'.repeat(tags - 2)}`;
  for (const tags of [9_999, 10_000]) expect(place(`${head(tags)}<b>x`)).toBe(`${head(tags)}[BAR]<b>x`);
  expect(place(`${head(10_001)}<b>x`)).toBe(`<!doctype html>[BAR]${head(10_001).slice(15)}<b>x`);
});

test.each([
  [
    '<template><b><template></template><p></template><i>x',
    '<template><b><template></template><p></template>[BAR]<i>x',
  ],
  ['</template></p><!-- a --><p>x', '</template></p><!-- a -->[BAR]<p>x'],
  ['<script><!-- </script><p>', '<script><!-- </script>[BAR]<p>'],
  [
    '<script><!--\ndocument.write("<script src=x></script>");\n//--></script><p>x',
    '<script><!--\ndocument.write("<script src=x></script>");\n//--></script>[BAR]<p>x',
  ],
  ['<script><!--><script></script><p>x', '<script><!--><script></script>[BAR]<p>x'],
  ['<script>"<script>"</script><p>x', '<script>"<script>"</script>[BAR]<p>x'],
  ['<script><!-- <script> --></script><p>x', '<script><!-- <script> --></script>[BAR]<p>x'],
  [
    '<template><textarea></template></textarea><p></template><p>x',
    '<template><textarea></template></textarea><p></template>[BAR]<p>x',
  ],
  ['<template><plaintext></template><p>x', '[BAR]<template><plaintext></template><p>x'],
  [' \n< b', '[BAR] \n< b'],
  ['<template>unclosed<p>', '[BAR]<template>unclosed<p>'],
  ['<link title="unclosed', '[BAR]<link title="unclosed'],
  ["<body data-a=don't>x's", "<body data-a=don't>[BAR]x's"],
  ['<noscript><p>n</p></noscript><p>x', '<noscript><p>n</p></noscript>[BAR]<p>x'],
])('finds the body in %j', (document, expected) => {
  expect(place(document)).toBe(expected);
});

test('open elements and end tags of others cost no more than as many that match', () => {
  const document = `<p>${'<b>'.repeat(37_000)}${'</i>'.repeat(37_000)}`;
  for (let count = 0; count < 100; count++) expect(place(document)).toBe(`[BAR]${document}`);
});

test('escapes every value', () => {
  const bar = insertTopBar('<body>', BAR);
  expect(bar).toContain('>&lt;/template&gt;&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;</span>');
  expect(bar).toContain('href="/public/a?dl=true&amp;p=&quot;&gt;&lt;script&gt;"');
  expect(bar.match(/<script>/g)).toHaveLength(1);
});

test('shows format, expiry and links', () => {
  const bar = insertTopBar('<body>', { ...BAR, title: 'T', format: 'MARKDOWN', downloadUrl: '/d' });
  expect(bar).toContain('<span class="badge">Markdown</span>');
  expect(bar).toContain(
    'Expires <time datetime="2026-12-06T07:20:21.000Z" title="6 Dec 2026, 07:20 UTC">6 Dec 2026</time>',
  );
  expect(bar).toContain(
    '<a href="/d">Download</a><a href="/public/a?raw=true">Raw</a><a href="/report?url=a">Report</a>',
  );
});

test('publishes the hash of the script it inserts', () => {
  const script = /<script>([\s\S]*?)<\/script>/.exec(
    insertTopBar('<body>', { ...BAR, title: 'T', downloadUrl: '/' }),
  )?.[1];
  expect(new Bun.CryptoHasher('sha256').update(script ?? '').digest('base64')).toBe(TOP_BAR_SCRIPT_SHA256);
});

test('what stands before a doctype is skipped in one pass', () => {
  const spaces = ' '.repeat(10_000);
  const comments = '<!-- - -- > -->'.repeat(1_000);
  for (const document of [`${spaces}<script>x`, `${comments}<script>x`, `\uFEFF${spaces}${comments}<!--`])
    expect(place(document)).toBe(`[BAR]${document}`);
  const begun = `\uFEFF${spaces}${comments}<!DOCTYPE html>`;
  expect(place(`${begun}<script>x`)).toBe(`${begun}[BAR]<script>x`);
});
