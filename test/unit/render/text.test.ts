import { expect, test } from 'bun:test';
import { assertShortEnough } from '../../../services/content/render/document.ts';
import { plainTextPage } from '../../../services/content/render/plain-text.ts';
import { renderText } from '../../../services/content/render/text.ts';

function main(html: string): string {
  return html.slice(html.indexOf('<main'), html.indexOf('</main>') + 7);
}

const yaml = (content: string) =>
  main(renderText({ content, language: 'yaml', title: null, filename: null }).html);

test('puts each line in an element of its own and closes spans at line ends', () => {
  expect(yaml('b: |\n  x\n  y\nc: 1\n')).toBe(
    [
      '<main class="file">',
      '<header><p>YAML · 4 lines · 18 bytes</p></header>',
      '<pre><code class="lines" style="--digits:1"><span id="L1"><span class="hljs-attr">b:</span> <span class="hljs-string">|',
      '</span></span><span id="L2"><span class="hljs-string">  x',
      '</span></span><span id="L3"><span class="hljs-string">  y',
      '</span></span><span id="L4"><span class="hljs-string"></span><span class="hljs-attr">c:</span> <span class="hljs-number">1</span>',
      '</span></code></pre>',
      '</main>',
    ].join('\n'),
  );
});

test.each([
  ['yaml', 'a: 1', 'YAML', '<span class="hljs-attr">a:</span>'],
  ['toml', '[t]', 'TOML', '<span class="hljs-section">[t]</span>'],
  ['json', 'true', 'JSON', '<span class="hljs-literal"><span class="hljs-keyword">true</span></span>'],
  ['css', 'b{}', 'CSS', '<span class="hljs-selector-tag">b</span>{}'],
  ['javascript', 'let a', 'JavaScript', '<span class="hljs-keyword">let</span>'],
  ['xml', '<a/>', 'XML', '&lt;<span class="hljs-name">a</span>/&gt;'],
  ['csv', 'a,b', 'CSV', '<span id="L1">a,b\n</span>'],
  ['tsv', 'a\tb', 'TSV', '<span id="L1">a\tb\n</span>'],
  ['python', 'def a(): pass', 'Python', '<span class="hljs-keyword">def</span>'],
  ['rust', 'fn a() {}', 'Rust', '<span class="hljs-keyword">fn</span>'],
  ['powershell', 'if ($a) {}', 'PowerShell', '<span class="hljs-keyword">if</span>'],
])('highlights %s', (language, content, name, expected) => {
  const html = main(renderText({ content, language, title: null, filename: null }).html);
  expect(html).toContain(`<p>${name} · 1 line · `);
  expect(html).toContain(expected);
});

test('escapes plain text, unknown languages and hostile titles', () => {
  for (const language of [null, 'plaintext', 'no-such-language']) {
    const page = renderText({ content: '<script>&', language, title: '<b>"', filename: null });
    expect(main(page.html)).toContain('<span id="L1">&lt;script&gt;&amp;\n</span>');
    expect(main(page.html)).toContain('<h1>&lt;b&gt;&quot;</h1>');
    expect(page.html).toContain('<title>&lt;b&gt;&quot;</title>');
    expect(page.title).toBe('<b>"');
  }
});

test('shows its title, else its filename', () => {
  for (const language of [null, 'yaml']) {
    const untitled = renderText({ content: 'a: 1', language, title: null, filename: 'a.yaml' });
    expect(untitled.title).toBe('a.yaml');
    expect(untitled.html).toContain('<title>a.yaml</title>');
    expect(main(untitled.html)).toContain('<h1>a.yaml</h1>');
    const titled = renderText({ content: 'a: 1', language, title: 'Given', filename: 'a.yaml' });
    expect(main(titled.html)).toContain('<h1>Given</h1>');
  }
});

test('does not highlight more than 200 KB', () => {
  const html = main(
    renderText({ content: 'a: 1\n'.repeat(50_000), language: 'yaml', title: null, filename: null }).html,
  );
  expect(html).not.toContain('hljs-');
  expect(html).toContain('YAML · 50000 lines · 244 KB');
});

test('goes without line elements past 20,000 lines', () => {
  expect(plainTextPage({ content: 'x\n'.repeat(20_000), title: null })).toContain('style="--digits:5"');
  expect(plainTextPage({ content: 'x\n'.repeat(20_001), title: null })).not.toContain('--digits:5');
});

test('counts lines however they end', () => {
  const facts = (content: string) => /<p>([^<]*)<\/p>/.exec(plainTextPage({ content, title: null }))?.[1];
  expect(facts('')).toBe('Plain text · 0 lines · 0 bytes');
  expect(facts('\n')).toBe('Plain text · 1 line · 1 byte');
  expect(facts('a')).toBe('Plain text · 1 line · 1 byte');
  expect(facts('a\r\nb\rc\n')).toBe('Plain text · 3 lines · 7 bytes');
  expect(facts('é\n\n')).toBe('Plain text · 2 lines · 4 bytes');
});

test('says so when there is nothing', () => {
  expect(main(plainTextPage({ content: '', title: null }))).toContain(
    '<p class="empty">This page is empty.</p>',
  );
});

test('shows a text up to a million characters that have to be escaped', () => {
  const page = (content: string) => plainTextPage({ content, title: null });
  for (const [character, escaped] of [
    ['&', '&amp;'],
    ['<', '&lt;'],
    ['>', '&gt;'],
  ] as const) {
    for (const length of [999_999, 1_000_000])
      expect(page(character.repeat(length))).toContain(`<span id="L1">${escaped.repeat(length)}\n`);
    const cut = page(`${character.repeat(1_000_000)}end${character}`);
    expect(cut).toContain(`${escaped}end\n`);
    expect(cut).toContain('its first 1 line');
    expect(cut).toContain('<a href="?raw=true">');
  }
  const longest = page(`${'&'.repeat(1_000_000)}${'"'.repeat(4_242_880)}`);
  expect(Buffer.byteLength(longest)).toBeLessThan(12 * 1_048_576);
  expect(longest).not.toContain('Too long');
});

test('refuses a rendered page of more than 12 MB', () => {
  const content = 'x'.repeat(5_242_880);
  const most = 12 * 1_048_576;
  for (const length of [most - 1, most])
    expect(() => assertShortEnough('x'.repeat(length), { content })).not.toThrow();
  expect(() => assertShortEnough('x'.repeat(most + 1), { content })).toThrow(RangeError);
  expect(() => assertShortEnough('é'.repeat(most / 2 + 1), { content })).toThrow(RangeError);
});
