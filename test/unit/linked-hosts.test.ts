import { expect, test } from 'bun:test';
import { isPage } from '../../shared/scanning/content-parts.ts';
import { linkedHosts } from '../../shared/scanning/linked-hosts.ts';
import { pageTexts } from '../../shared/scanning/page-links.ts';

const names = (text: string): string[] =>
  [...new Set([...linkedHosts(text)].filter((host) => host !== null))].toSorted();

test('other work gets its turn however little a page names', () => {
  const pauses = (text: string): number => [...linkedHosts(text)].filter((host) => host === null).length;
  for (const text of ['//?'.repeat(200_000), 'http: '.repeat(100_000)])
    expect(pauses(text)).toBeGreaterThan(4);
  expect(pauses('&lt;'.repeat(400_000))).toBeGreaterThan(6);
});

test('no reference is cut where a page is decoded by pieces', () => {
  const host = '&#x2f;&#47;evil.example';
  for (let before = 262_130; before < 262_150; before++)
    expect(names(`&amp;${'x'.repeat(before)} ${host} ${'y'.repeat(300_000)}`)).toContain('evil.example');
});

test('long runs of anything cost no more than their length', () => {
  const size = 300_000;
  const parts = [
    ...[
      '/',
      '\\',
      ' /',
      'http:',
      'http: ',
      'h',
      '="',
      "='",
      '&#47;',
      '//a@',
      '//a"@',
      '@',
      'a.',
      '.',
      '%',
      '//%2e',
    ],
    ...['//a,', '//a ', 'http:a ', '\u00ad', '\u00e9', '//[', '//\u4e00.', '<', '&', '\n', '//a.b,', '?//#'],
    ...['<!--', '<?', '<!ENTITY ', '<!ENTITY a "', '<!ENTITY a "b">&a;', '&amp;amp;', '&a'],
  ];
  for (const part of parts) {
    const text = part.repeat(Math.ceil(size / part.length));
    // A quadratic search would take minutes.
    expect(names(`${text} <a href="https://end.example">`)).toContain('end.example');
    // One authority as long as that.
    const user = `a${text.replace(/[/\\?#]/g, 'x')}b`;
    expect(names(`<a href="https://${user}@end.example/">`)).toContain('end.example');
  }
});

test('hosts are found behind any number of slashes, and without any behind a scheme', () => {
  expect(
    names('https:////a.example //b.example \\\\/c.example http:d.example wss:/\\e.example //a.example'),
  ).toEqual(['a.example', 'b.example', 'c.example', 'd.example', 'e.example']);
  expect(names('a/b.example a.example ftp:c.example ? /d.example key: e.example #f.example')).toEqual([]);
});

test.each([
  ...[...',;(\'[{|^ "<>`!$&*+=~%:\t\n'].map((character) => `a${character}b`),
  ...['a@b', 'a:b', 'x'.repeat(400), `${'x'.repeat(400)}, y`, 'a,b@c d', '\u00e9', 'a\u00a0b'],
])('the name of a user %j before a host hides it from nobody', (user) => {
  const written = `//${user}@evil.example/`;
  for (const address of [`https:${written}`, written, `https:${written.replace('//', '/\\')}`]) {
    // As browsers take it.
    expect(new URL(address, 'https://base.example/').hostname).toBe('evil.example');
    expect(names(`<a href='${address}'>`)).toContain('evil.example');
  }
});

test('a host is found behind ten thousand others, and as soon as it is asked for', () => {
  const decoys = Array.from({ length: 10_001 }, (_, n) => `<a href="//h${n}.example">`).join('');
  expect(names(`${decoys}<a href="//evil.example">`)).toContain('evil.example');
  const { value } = linkedHosts(`<a href="//evil.example">${decoys}`).next();
  expect(value).toBe('evil.example');
});

test.each([
  ['evil.example', 'evil.example.'],
  ['evil.example', 'EVIL.Example:8080'],
  ['evil.example', 'ev%69l%2eexample'],
  ['evil.example', 'evil\u3002example'],
  ['evil.example', 'ev\u00adil.exam\u200bple'],
  ['evil.example', `ev${'\u00ad'.repeat(5_000)}il.example`],
  ['evil.example', `ev${'%C2%AD'.repeat(5_000)}il.example`],
  ['evil.example', '\uff45vil.example'],
  ['evil.example', 'evil.example\u201d'],
  ['xn--bcher-kva.example', 'b\u00fccher.example'],
  ['192.168.1.1', '3232235777'],
  ['127.0.0.1', '0x7f.1'],
  ['[::1]', '[0:0::1]'],
  ['b.evil.example', 'a,b.evil.example'],
])('%s is found as %j', (host, written) => {
  expect(names(`<a href="https://${written}/x">`)).toContain(host);
});

test.each([
  ['a page in an attribute', '<iframe srcdoc="<a href=\'https://e&amp;#118;il.example\'>">'],
  ['one in that of another', '<iframe srcdoc="<iframe srcdoc=\'https://e&amp;amp;#118;il.example\'>">'],
  ['an entity of its own', '<!DOCTYPE svg [<!ENTITY h "evil.example">]><a href="https://&h;/"/>'],
  ['a part of a host', "<!DOCTYPE svg [<!ENTITY h 'vil.exa'>]><a href='https://e&h;mple/'/>"],
  ['entities in entities', '<!ENTITY a "&#38;b;"><!ENTITY b "/evil&c;example"><!ENTITY c "."> https:/&a;'],
  [
    'others that do not count',
    '<!ENTITY % p "<!--"><!--<!ENTITY h "x">--><?x <!ENTITY h "x">?><!ENTITY h "evil"> //&h;.example',
  ],
  ['one of the name of a known one', '<!ENTITY period "x"> //evil&period;example'],
])('a host is found behind entities: %s', (_, text) => {
  expect(names(text)).toContain('evil.example');
});

test.each([
  '//evil\\2e example',
  '//ev\\000069l\\.example',
  'htt\\70s:evil.example',
  '\\2f\\2f evil.example',
])('a host is found in a style as %s', (address) => {
  expect(names(`<p style="background: url(${address})">`)).toContain('evil.example');
  expect(names(`<style>p { background: url(${address}) }</style>\\110000 \\`)).toContain('evil.example');
});

test('entities that become ever longer end', () => {
  const laughs = Array.from({ length: 20 }, (_, n) => `<!ENTITY a${n} "${`&a${n + 1};`.repeat(50)}">`).join(
    '',
  );
  expect(names(`${laughs}&a0; <a href="https://evil.example/">`)).toContain('evil.example');
  expect(names('<!ENTITY a "&a;&a;"> &a; //evil.example')).toContain('evil.example');
});

test('what follows an address in its line or its element is no part of it', () => {
  const text = `<a href="https://ok.example">evil.example</a> 'https://ok.example' evil.example
    [here](https://ok.example) evil.example https://ok.example/evil.example?x=evil.example#evil.example`;
  expect(names(text)).toEqual(['ok.example']);
});

const namesIn = (bytes: Uint8Array, contentType: string): string[] =>
  [...pageTexts(bytes, contentType)].flatMap(names);

const page = '<a href="https://evil.example/">';
const wide = (text: string, swap = false): Uint8Array => {
  const bytes = Buffer.from(text, 'utf16le');
  return swap ? bytes.swap16() : bytes;
};

test.each<[string, Uint8Array, string]>([
  ['UTF-8', Buffer.from(page), 'text/html'],
  ['UTF-8 with its mark', Buffer.from(`\ufeff${page}`), 'text/html; charset=utf-16le'],
  ['UTF-16, little end first', wide(`\ufeff${page}`), 'text/html; charset=utf-8'],
  ['UTF-16, big end first', wide(`\ufeff${page}`, true), 'text/html'],
  ['UTF-16 by its type', wide(page), 'text/html; charset="UTF-16LE"'],
  ['UTF-16 XML', wide(`<?xml version="1.0"?>${page}`, true), 'application/xml'],
  ['a charset that nobody knows', Buffer.from(page), 'text/html; charset=nothing'],
  ['UTF-8 that says UTF-16', Buffer.from(`<meta charset="utf-16">${page}`), 'text/html'],
  [
    // Which hides what follows, where it counts; in XML it does not, and behind a charset of the type.
    'a charset that nobody heeds',
    Buffer.from(`<meta charset="iso-2022-jp">\x1b$B${page}`),
    'image/svg+xml',
  ],
  [
    'a charset of its own',
    Buffer.from(`<meta http-equiv="Content-Type" content="text/html; charset=iso-2022-jp">${page}`),
    'text/html',
  ],
  [
    'a charset of its own behind much else',
    Buffer.from(
      `<!--${'x'.repeat(1_100)}--><meta charset="iso-2022-jp">\xff<a href="https://e\x1b(Bvil.example/">`,
      'latin1',
    ),
    'text/html',
  ],
  [
    'a charset of its own behind others that do not count',
    Buffer.from('<!--<meta charset="koi8-r">--><meta charset="ISO-2022-JP"><a href="//e\x1b(Bvil.example">'),
    'text/html',
  ],
])('a page in %s is read as browsers read it', (_, bytes, contentType) => {
  expect(namesIn(bytes, contentType)).toContain('evil.example');
});

test('a declared charset decides about letters that are not ASCII', () => {
  const bytes = Buffer.from('<meta charset=windows-1252><a href="//b\xfccher.example">', 'latin1');
  expect(namesIn(bytes, 'text/html')).toContain('xn--bcher-kva.example');
  expect(namesIn(bytes.subarray(bytes.indexOf('<a')), 'text/html')).toContain('xn--bcher-kva.example');
  const xml = Buffer.from(
    '<?xml version="1.0" encoding="iso-8859-1"?><a href="//b\xfccher.example">',
    'latin1',
  );
  expect(namesIn(xml, 'text/xml')).toContain('xn--bcher-kva.example');
});

test('a charset is found wherever a page declares it', () => {
  const page = `<!--<meta charset=utf-8>${'x'.repeat(2_000)}--><meta charset=windows-1251><a href="//\xe0\xe1.example">`;
  expect(namesIn(Buffer.from(page, 'latin1'), 'text/html')).toContain('xn--80ac.example');
  for (const part of ['charset=', 'charset ', '<?xml ', 'charset=" ', 'charset=a;'])
    expect(namesIn(Buffer.from(`${part.repeat(40_000)} //evil.example`), 'text/html')).toContain(
      'evil.example',
    );
});

test('HTML, markdown and every XML are pages', () => {
  const isOne = (contentType: string): boolean =>
    isPage({ path: null, contentType, read: () => (async function* () {})() });
  const pages = ['text/html', 'TEXT/HTML; charset=utf-8', 'text/markdown', 'text/xml; charset=utf-8'];
  for (const type of [
    ...pages,
    'application/xml',
    'application/xhtml+xml',
    'image/svg+xml',
    'application/atom+xml',
  ])
    expect([type, isOne(type)]).toEqual([type, true]);
  for (const type of ['text/plain', 'application/json', 'image/png', 'application/xml-dtd', 'text/html-x'])
    expect([type, isOne(type)]).toEqual([type, false]);
});
