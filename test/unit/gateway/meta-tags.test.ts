import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { insertMetaTags } from '../../../services/gateway/rendered-pages/page-head.ts';
import { anyCharacter } from '../../any-character.ts';

const META = { url: 'https://p.example/public/a', title: 'Launch' };

/** The document with `[TAGS]` in place of what was put in, so that only its place is compared. */
function place(document: string): string {
  const text = insertMetaTags(document, META);
  return text.replace(/(?:<(?:link|meta) (?:rel|name|property)="[^>]*">\n)+/, '[TAGS]');
}

/** The meta tags of a page as a browser would read them: `[name, text]` of each. */
function tagsOf(document: string): Array<[string, string]> {
  const tags: Array<[string, string]> = [];
  new HTMLRewriter()
    .on('meta', {
      element(meta) {
        const name = meta.getAttribute('property') ?? meta.getAttribute('name');
        if (name !== null) tags.push([name.toLowerCase(), meta.getAttribute('content') ?? '']);
      },
    })
    .on('link', {
      element(link) {
        if (/\bcanonical\b/i.test(link.getAttribute('rel') ?? ''))
          tags.push(['canonical', link.getAttribute('href') ?? '']);
      },
    })
    .transform(document);
  return tags;
}

const tagged = (document: string, meta = META) => Object.fromEntries(tagsOf(insertMetaTags(document, meta)));

test.each([
  [
    '<!doctype html><html><head><title>x</title></head><body>y',
    '<!doctype html><html><head>[TAGS]<title>x</title></head><body>y',
  ],
  [
    '<head><meta charset="utf-8"><meta name=viewport content="a>b"></head><body>y',
    '<head><meta charset="utf-8"><meta name=viewport content="a>b">[TAGS]</head><body>y',
  ],
  [
    '\uFEFF<!-- <title> --><!DOCTYPE HTML>\n<HTML lang="de">\n<BODY>y',
    '\uFEFF<!-- <title> --><!DOCTYPE HTML>\n<HTML lang="de">\n[TAGS]<BODY>y',
  ],
  ['<?xml version="1.0"?><html><title>x</title>', '<?xml version="1.0"?><html>[TAGS]<title>x</title>'],
  ['<!doctype html><title>x</title><p>y', '<!doctype html>[TAGS]<title>x</title><p>y'],
  ['<p>y', '[TAGS]<p>y'],
  ['only text', '[TAGS]only text'],
  ['<header>y</header>', '[TAGS]<header>y</header>'],
  ['<metadata>y', '[TAGS]<metadata>y'],
  ['<html><frameset><frame src="a">', '<html>[TAGS]<frameset><frame src="a">'],
  ['', '[TAGS]'],
  ['<!doctype html>', '<!doctype html>[TAGS]'],
  ['<!-- unclosed <p>', '[TAGS]<!-- unclosed <p>'],
  ['<!--><script>a="-->"</script>', '<!-->[TAGS]<script>a="-->"</script>'],
  ['<!-- ended --!><p>y', '<!-- ended --!>[TAGS]<p>y'],
  [`<html data-a=don't><p>y's`, `<html data-a=don't>[TAGS]<p>y's`],
  ['<title>unclosed', '[TAGS]<title>unclosed'],
  ['<html><meta content="unclosed', '<html>[TAGS]<meta content="unclosed'],
])('puts the tags where the head is in %j', (document, expected) => {
  expect(place(document)).toBe(expected);
});

test('says address, title, site and what the page says first', () => {
  expect(tagged('<title>x</title><h1>Launch</h1><p>We go <b>li</b>ve&nbsp;on\n Monday.</p><p>More')).toEqual({
    canonical: 'https://p.example/public/a',
    description: 'We go live on Monday.',
    'og:title': 'Launch',
    'og:type': 'website',
    'og:url': 'https://p.example/public/a',
    'og:site_name': 'Perch',
    'og:description': 'We go live on Monday.',
  });
});

describe('what a page brings itself', () => {
  test.each([
    ['<link rel="canonical" href="https://a.example/">', 'canonical'],
    ['<LINK HREF=https://a.example/ REL="shortlink Canonical">', 'canonical'],
    ['<meta name="description" content="Own.">', 'description'],
    ["<meta content='Own.' NAME=Description>", 'description'],
    ['<meta property="og:title" content="Own">', 'og:title'],
    ['<meta name="og:title" content="Own">', 'og:title'],
    ['<meta property=" OG:Title " content="Own">', 'og:title'],
  ])('is not said a second time: %s', (own, name) => {
    for (const document of [
      `<head>${own}</head><p>Text`,
      `<head><style>${'p{}'.repeat(30_000)}</style>${own}`,
    ]) {
      const names = tagsOf(insertMetaTags(document, META)).map(([known]) => known.trim());
      expect(names.filter((known) => known === name)).toEqual([name]);
    }
  });

  test('is its description everywhere', () => {
    const own = '<meta name="description" content="Fish &amp; &quot;chips&quot;">';
    expect(tagged(`${own}<p>Other`)['og:description']).toBe('Fish &amp; &quot;chips&quot;');
    expect(tagged('<meta property="og:description" content="Own"><p>Other').description).toBe('Own');
  });

  test('is not contradicted: with an address elsewhere it is not said to be here', () => {
    expect(tagged('<link rel="canonical" href="https://a.example/"><p>x')).not.toHaveProperty('og:url');
  });
});

describe('the description', () => {
  const described = (document: string): unknown => tagged(document).description;

  test.each([
    ['<h1>Title</h1><nav><p>Menu</p></nav><p> </p><p>First.', 'First.'],
    ['<style>p{}</style><script>"<p>no"</script><div>Some <i>wo</i>rds</div><div>more', 'Some words more'],
    ['<p>One<p>Two', 'One'],
    ['<p>One<br>line', 'One line'],
    ['<p>a &lt; b &amp;&amp; c', 'a &lt; b &amp;&amp; c'],
    ['1 < 2', '1 &lt; 2'],
    ['<!-- <p>no --><p>yes', 'yes'],
    ['<template><p>no</template><svg><p>no</svg><P>yes', 'yes'],
    ['<p title="a>b">yes', 'yes'],
    ["<p title=don't>yes", 'yes'],
    ['İ<script>"</scripts>"</script>yes', 'İ yes'],
    [
      '<p>Press <button>Go</button> or <svg><text>no</svg> or <select><option>no</select> now.',
      'Press or or now.',
    ],
    [
      '<p>Add <label>a <input></label> and <canvas>no</canvas>more.<script>no</script> Done',
      'Add a and more. Done',
    ],
    ['<p>The <math><mi>n</mi></math>th <math><mi>a</mi><mo>&le;</mo><mn>2</mn></math>.', 'The nth a≤2.'],
    ['<p>No <math><mi>x</mi><annotation-xml><p>no</p></annotation-xml></math> text.', 'No x text.'],
  ])('of %j', (document, expected) => {
    expect(described(document)).toBe(expected);
  });

  const katex = (markup: string, tex: string): string =>
    `<span class="katex"><math><semantics><mrow>${markup}</mrow><annotation encoding="application/x-tex">${tex}</annotation></semantics></math></span>`;

  test.each([
    ['one after the other', '<mi>α</mi><mo>&lt;</mo><mi>x</mi>', '\\alpha &lt; x', 'α&lt;x'],
    ['one above the other', '<mfrac><mi>a</mi><mi>b</mi></mfrac>', '\\frac{a}{b}', '\\frac{a}{b}'],
    ['a function', '<mi>n</mi><mi>log</mi><mo>\u2061</mo><mi>n</mi>', 'n \\log n', 'n \\log n'],
  ])('has a formula once, with its signs %s', (_, markup, tex, expected) => {
    expect(described(`<p>So ${katex(markup, tex)} holds.`)).toBe(`So ${expected} holds.`);
  });

  test.each([
    '',
    '<p></p>',
    '<script>text</script>',
    '<title>Title</title>',
    '<script>unclosed',
    '<p',
    '<!--',
  ])('of %j is none', (document) => {
    expect(tagged(document)).not.toHaveProperty('description');
  });

  test('has at most 200 characters, cut between words', () => {
    expect(described(`<p>${'é'.repeat(200)}`)).toBe('é'.repeat(200));
    expect(described(`<p>${'🐦'.repeat(201)}`)).toBe(`${'🐦'.repeat(199)}…`);
    expect(described(`<p>${'word '.repeat(100)}`)).toBe(`${'word '.repeat(39).trim()}…`);
  });

  test('of a text is its first lines, not what stands around them', () => {
    const view =
      '<main><header><h1>notes.txt</h1><p>Plain text · 2 lines</p></header><pre><code><span>One\n</span><span>two</span></code></pre>';
    const text = insertMetaTags(view, META, 'code');
    expect(Object.fromEntries(tagsOf(text)).description).toBe('One two');
    const empty = insertMetaTags('<header><p>0 lines</p></header>', META, 'code');
    expect(Object.fromEntries(tagsOf(empty))).not.toHaveProperty('description');
  });
});

const HOSTILE = `"><script>alert('1')</script></title><!-- &quot;`;

test('a hostile title and text stay text', () => {
  const document = insertMetaTags(`<p>${Bun.escapeHTML(HOSTILE)}`, { ...META, title: HOSTILE });
  const elements: string[] = [];
  new HTMLRewriter().on('*', { element: ({ tagName }) => void elements.push(tagName) }).transform(document);
  expect(elements).toEqual(['link', 'meta', 'meta', 'meta', 'meta', 'meta', 'meta', 'p']);
  expect(document).toContain('content="&quot;&gt;&lt;script&gt;alert(&#x27;1&#x27;)&lt;/script&gt;');
});

test('their place is looked for in the first 256 KB', () => {
  const comment = (length: number): string => `<!--${'x'.repeat(length - 7)}-->`;
  for (const [length, isPassed] of [
    [262_143, true],
    [262_144, true],
    [262_145, false],
  ] as const) {
    const found = place(`${comment(length)}<p>y`).indexOf('[TAGS]');
    expect(found).toBe(isPassed ? length : 0);
  }
});

test('nothing else of a document changes, whatever it is', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<!doctype html>',
      '<html>',
      '<head>',
      '</head>',
      '<meta charset=utf-8>',
      '<!--',
      '-->',
      '<title>',
    ),
    fc.constantFrom(
      '</title>',
      '<p>',
      '</p>',
      '<script>',
      '</script>',
      '"',
      "'",
      '<',
      '>',
      '<code>',
      '&amp;',
      ' ',
    ),
    fc.string({ unit: anyCharacter, maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const document = pieces.join('');
      const text = insertMetaTags(document, META);
      const start = text.indexOf('<link rel="canonical" href="https://p.example/public/a">');
      const end = text.indexOf('<meta property="og:site_name" content="Perch">\n');
      expect(start).toBeGreaterThanOrEqual(0);
      const rest = text
        .slice(end)
        .replace(/^(?:<meta property="og:(?:site_name|description)" content="[^"]*">\n)+/, '');
      expect(text.slice(0, start) + rest).toBe(document);
    }),
    { numRuns: 500 },
  );
});

test('its own tags are looked for among the first 10,000 tags', () => {
  const own = '<meta name="description" content="Own.">';
  for (const [tags, isFound] of [
    [9_999, true],
    [10_000, true],
    [10_001, false],
  ] as const)
    expect(tagged(`${'<b>'.repeat(tags - 1)}${own}`)['og:description'] === 'Own.').toBe(isFound);
});

test('open elements and end tags of others cost no more than as many that match', () => {
  const document = `og:${'<b>'.repeat(37_000)}${'</i>'.repeat(37_000)}`;
  for (let count = 0; count < 50; count++) expect(insertMetaTags(document, META)).toContain('og:site_name');
});

test('long hostile documents are read in one pass', () => {
  for (const unit of [
    '<meta a a a ',
    '<meta a="a"a=',
    '<',
    '<!--',
    '<p>',
    '<meta a="',
    '<meta content=x name=description>',
    '<script>',
    '<p a=\'"',
  ])
    expect(insertMetaTags(unit.repeat(200_000), META)).toContain('og:site_name');
});
