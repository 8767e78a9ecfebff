import { expect, test } from 'bun:test';
import { renderMarkdown } from '../../../services/content/render/markdown.ts';

function body(content: string): string {
  const { html } = renderMarkdown({ content, title: null, filename: null });
  return html.slice(html.indexOf('dir="auto">') + 12, html.indexOf('</main>')).trimEnd();
}

const anchor = (id: string) => `<a class="anchor" href="#${id}" aria-label="Link to this section"></a>`;

test('gives headings unique ids and anchors, in any script', () => {
  expect(body('# A\n# A\n## B & C <i>d</i>\n### 日本語')).toBe(
    [
      `<h1 id="a">A${anchor('a')}</h1>`,
      `<h1 id="a-1">A${anchor('a-1')}</h1>`,
      `<h2 id="b--c-d">B &amp; C <i>d</i>${anchor('b--c-d')}</h2>`,
      `<h3 id="日本語">日本語${anchor('日本語')}</h3>`,
    ].join('\n'),
  );
});

test('starts the ids anew for each page', () => {
  expect(body('# A')).toBe(`<h1 id="a">A${anchor('a')}</h1>`);
  expect(body('# A')).toBe(`<h1 id="a">A${anchor('a')}</h1>`);
});

test('escapes an id in its anchor', () => {
  expect(body('<h2 id="x&quot;y">Z</h2>')).toBe(`<h2 id="x&quot;y">Z${anchor('x&quot;y')}</h2>`);
});

test('numbers footnotes in the order of their references, with ids no heading can have', () => {
  const rendered = body('# fn 1\n\nx[^b] y[^1] z[^b]\n\n[^1]: one\n[^b]: two');
  expect(rendered).toContain(
    '<p>x<sup><a id="fn:ref-b" href="#fn:b" aria-describedby="fn:label">1</a></sup> y<sup><a id="fn:ref-1" href="#fn:1" aria-describedby="fn:label">2</a></sup> z<sup><a id="fn:ref-b-2" href="#fn:b" aria-describedby="fn:label">1</a></sup></p>',
  );
  expect(rendered).toContain('<h2 id="fn:label" class="sr-only">Footnotes</h2>');
  expect(rendered).toContain(
    '<li id="fn:1">\n<p>one <a href="#fn:ref-1" aria-label="Back to reference 1">↩</a></p>\n</li>',
  );
});

test('leaves the marks of footnotes out of the title and the ids of headings, and shows them', () => {
  const content =
    '# *Results[^1]* & more[^1]\n\n# Results[^1]\n\nSetext[^1]\n---\n\n# a[^none]\n\n[^1]: Note';
  expect(renderMarkdown({ content, title: null, filename: null }).title).toBe('Results & more');
  const mark = (count: string) =>
    `<sup><a id="fn:ref-1${count}" href="#fn:1" aria-describedby="fn:label">1</a></sup>`;
  expect(body(content)).toStartWith(
    [
      `<h1 id="results--more"><em>Results${mark('')}</em> &amp; more${mark('-2')}${anchor('results--more')}</h1>`,
      `<h1 id="results">Results${mark('-3')}${anchor('results')}</h1>`,
      `<h2 id="setext">Setext${mark('-4')}${anchor('setext')}</h2>`,
      `<h1 id="anone">a[^none]${anchor('anone')}</h1>`,
    ].join('\n'),
  );
});

test('highlights code of a known language and escapes the rest', () => {
  expect(body('```js\nconst a = "<b>";\n```')).toBe(
    '<pre tabindex="0"><code class="language-js"><span class="hljs-keyword">const</span> a = <span class="hljs-string">"&lt;b&gt;"</span>;\n</code></pre>',
  );
  expect(body('```nope\n<b>\n```')).toBe(
    '<pre tabindex="0"><code class="language-nope">&lt;b&gt;\n</code></pre>',
  );
  expect(body('```\n<b>\n```')).toBe('<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>');
});

test('does not highlight a block over 100 KB, nor more than 500 KB of a page', () => {
  const line = 'const a = 1;\n';
  const block = (bytes: number) => `\`\`\`js\n${line.repeat(Math.ceil(bytes / line.length))}\`\`\`\n\n`;
  expect(body(block(110 * 1024))).not.toContain('hljs-keyword');
  const rendered = body(block(90 * 1024).repeat(6));
  expect(rendered.split('<pre ').map((pre) => pre.includes('hljs-keyword'))).toEqual([
    false,
    true,
    true,
    true,
    true,
    true,
    false,
  ]);
});

test('renders tables in a box that scrolls, and keeps their alignment', () => {
  expect(body('| a | b |\n|:-:|--|\n| 1 | `x` |')).toBe(
    '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>\n<thead>\n<tr>\n<th align="center">a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody><tr>\n<td align="center">1</td>\n<td><code>x</code></td>\n</tr>\n</tbody></table>\n</div>',
  );
});

test('renders task lists with boxes nobody can tick', () => {
  expect(body('- [x] a\n- [ ] b')).toBe(
    '<ul dir="auto">\n<li><input type="checkbox" disabled checked aria-label="Done" /> a</li>\n<li><input type="checkbox" disabled aria-label="To do" /> b</li>\n</ul>',
  );
});

test('shows front matter as code instead of taking it for a heading', () => {
  const page = renderMarkdown({ content: '---\na: "~~~"\n---\n# T', title: null, filename: null });
  expect(page.title).toBe('T');
  expect(page.html).toContain(
    '<pre tabindex="0"><code class="language-yaml"><span class="hljs-attr">a:</span> <span class="hljs-string">"~~~"</span>\n</code></pre>',
  );
  expect(body('---\n\nA\n---')).toBe(`<hr />\n<h2 id="a">A${anchor('a')}</h2>`);
});

test('links what markdown would make into a script to nothing', () => {
  expect(body('[x](javascript:alert(1))')).toBe('<p><a>x</a></p>');
  expect(body('[x](JAVASCRIPT&colon;alert(1))')).toBe('<p><a>x</a></p>');
  expect(body('![x](javascript:alert(1))')).toBe('<p><img alt="x" /></p>');
  expect(body('<javascript:alert(1)>')).toBe('<p><a>javascript:alert(1)</a></p>');
  expect(body('```"><script>\nx\n```')).toBe(
    '<pre tabindex="0"><code class="language-&quot;&gt;&lt;script&gt;">x\n</code></pre>',
  );
});

test('takes a byte order mark, CR LF and nothing at all', () => {
  expect(body('\uFEFF# Bom\r\n\r\na\r\nb')).toBe(`<h1 id="bom">Bom${anchor('bom')}</h1>\n<p>a\nb</p>`);
  expect(body('')).toBe('<p class="empty">This page is empty.</p>');
  expect(body(' \n')).toBe('<p class="empty">This page is empty.</p>');
});

test('takes its title from the input, else from the first heading with text, else from its filename', () => {
  const title = (content: string, given: string | null = null, filename: string | null = null) =>
    renderMarkdown({ content, title: given, filename }).title;
  expect(title('# A', 'Given', 'a.md')).toBe('Given');
  expect(title('# A', null, 'a.md')).toBe('A');
  expect(title('no heading', null, 'a.md')).toBe('a.md');
  expect(title('# a&#7;\u009b b')).toBe('a b');
  expect(title('text\n\n#\n\n## `x` <b>&lt;i&gt;</b> & [l](u) &copy;')).toBe('x <i> & l ©');
  expect(title('Setext\n===')).toBe('Setext');
  expect(title('no heading')).toBeNull();
  expect(title(`# ${'🐦'.repeat(300)}`)).toBe('🐦'.repeat(200));
});

test('shows its filename as its title when there is no other', () => {
  const { html } = renderMarkdown({ content: 'x', title: null, filename: 'a&b.md' });
  expect(html).toContain('<title>a&amp;b.md</title>');
});

test('is a complete document of its own, with the title escaped', () => {
  const { html } = renderMarkdown({
    content: 'x',
    title: '</title><script>alert(1)</script>',
    filename: null,
  });
  expect(html).toStartWith(
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>\n<style>',
  );
  expect(html).toEndWith('</body>\n</html>\n');
  expect(html).not.toContain('<script');
  expect(html).not.toMatch(/<link|@import|url\(/);
});
