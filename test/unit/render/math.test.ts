import { describe, expect, test } from 'bun:test';
import { renderMarkdown } from '../../../services/content/render/markdown.ts';

const render = (content: string) => renderMarkdown({ content, title: null, filename: null });
const main = (content: string): string => {
  const { html } = render(content);
  return html.slice(html.indexOf('<main'), html.indexOf('</main>'));
};
const MB = 1_048_576;
const LENGTH = MB / 4;

describe('formulas', () => {
  test.each([
    ['a $x^2$ b', '<msup><mi>x</mi><mn>2</mn></msup>'],
    ['a $`x^2`$ b', '<msup><mi>x</mi><mn>2</mn></msup>'],
    ['$$\nx^2\n$$', 'display="block"'],
    ['a $$x^2$$ b', 'display="block"'],
    ['```math\nx^2\n```', 'display="block"'],
    ['| a |\n|---|\n| $x$ |', '<mi>x</mi>'],
  ])('become MathML: %s', (content, expected) => {
    expect(main(content)).toContain(expected);
  });

  test.each(['costs $5 and $10', '$ x $', 'a $x', '`$x$`', '```\n$x$\n```', '\\$x$', 'a $x\ny$'])(
    'are none: %s',
    (content) => {
      expect(main(content)).not.toContain('<math');
    },
  );

  test('that cannot be typeset are shown as their source', () => {
    for (const source of [
      '\\frac{1',
      '\\nosuch{<b>}',
      '\\def\\a{x}\\a',
      `${'{'.repeat(50)}x${'}'.repeat(50)}`,
    ]) {
      const shown = main(`a $${source}$ b`);
      expect(shown).not.toContain('<b>');
      if (!source.startsWith('\\nosuch')) expect(shown).not.toContain('<math');
    }
  });

  test('bring neither links, pictures, scripts nor styles, and no place of theirs can be made up', () => {
    for (const content of [
      '$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://x.example/a.png}$ $\\htmlStyle{color:red}{x}$',
      '$\\text{<img src=x onerror=alert(1)>}$ ![$x$](a.png "$y$") [a]($z$ "$t$")',
      '<span class="math-0">x</span> <math><mtext><img src=x onerror=alert(1)></mtext></math> $x$',
      '# $x$ <b>\n\n<a title="$x$">a</a>',
    ]) {
      const shown = main(content);
      expect(shown).not.toMatch(
        /<(?:script|style|iframe|mglyph|annotation-xml)|<[^>]*\s(?:on\w+|style)\s*=/i,
      );
      expect(shown).not.toContain('href="javascript:');
      expect(shown).not.toMatch(/="[^"]*<math/);
    }
  });

  test('are their source in a title', () => {
    expect(render('# Energy $E=mc^2$').title).toBe('Energy E=mc^2');
  });

  test.each([
    ['signs', '$'.repeat(LENGTH)],
    ['signs and letters', '$a '.repeat(LENGTH / 2)],
    ['pairs', '$a$ '.repeat(LENGTH / 4)],
    ['double signs', '$$ '.repeat(LENGTH / 2)],
    ['open formulas on lines', '$a\n\n'.repeat(LENGTH / 4)],
    ['a sign before much other markup', `$ ${'*a* '.repeat(50_000)}`],
    ['fractions', `$${'\\frac{1}{'.repeat(100)}x${'}'.repeat(100)}$ `.repeat(200)],
    ['a long row', `$$${'x+'.repeat(2_400)}1$$\n\n`.repeat(200)],
    ['definitions that double', `$$\\def\\a{xx}${'\\edef\\a{\\a\\a}'.repeat(40)}\\a$$`],
    ['open blocks', '```math\n'.repeat(LENGTH / 16)],
  ])(
    'are typeset up to a share of the page, and the rest is text: %s',
    (_, content) => {
      const { html } = render(content);
      expect(html.length).toBeLessThan(20 * content.length + 4 * MB);
    },
    60_000,
  );
});

test.each(['NOTE', 'TIP', 'IMPORTANT', 'WARNING', 'CAUTION'])('an alert is marked as such: %s', (kind) => {
  const shown = main(`> [!${kind}]\n> Mind *this*.\n\n> plain\n`);
  const name = kind.toLowerCase();
  expect(shown).toContain(`<div class="markdown-alert markdown-alert-${name}">`);
  expect(shown).toMatch(new RegExp(`<p class="markdown-alert-title">${name}</p>`, 'i'));
  expect(shown).toContain('<em>this</em>');
  expect(shown).toContain('<blockquote dir="auto">\n<p>plain</p>');
});

test('what describes an image has the source of a formula', () => {
  const image = main('![the chart of $x < y^2$](a.png "in $z$") and $y$');
  expect(image).toContain('<img src="a.png" alt="the chart of x &lt; y^2"');
  expect(image).not.toContain('math-');
  expect(image).toContain('<math');
});
