import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { renderMarkdown } from '../../../services/content/render/markdown.ts';

const ATOMS = [
  '<script>',
  '</script>',
  '<img src=x onerror=alert(1)>',
  '<a href="',
  'javascript:',
  'java\tscript:',
  '&#106;avascript:',
  'data:text/html,',
  '">',
  "'",
  '"',
  '`',
  '```',
  '```html\n',
  '[x](',
  ')',
  '![',
  '](',
  '[^1]',
  '[^1]: ',
  '\n\n',
  '\n',
  '# ',
  '> ',
  '- [x] ',
  '| a |\n|--|\n| ',
  '<svg onload=x>',
  '<style>',
  '</style>',
  '<math>',
  '<noscript>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<details ontoggle=x>',
  '<input type=checkbox onclick=x>',
  '<',
  '>',
  '&lt;',
  '&colon;',
  '\\',
  '---\na: ',
  '\n---\n',
  '<textarea>',
  '<title>',
  '<xmp>',
  '<iframe srcdoc="',
  '<p id="',
  ' on',
  'click=',
  '\0',
  '\u2028',
  '🐦',
];

const FORBIDDEN = new Set(
  'script style iframe object embed form base meta link svg math template frame frameset'.split(' '),
);
const SCHEMES = new Set(['http', 'https', 'mailto', 'tel', 'data']);

/** What is wrong with the rendered body, as a browser's tokeniser would see it. */
function faults(html: string): string[] {
  const found: string[] = [];
  new HTMLRewriter()
    .on('body *', {
      element(element) {
        if (FORBIDDEN.has(element.tagName)) found.push(`<${element.tagName}>`);
        for (const [name = '', value = ''] of element.attributes) {
          if (name.startsWith('on') || name === 'style' || name === 'srcdoc') found.push(name);
          const scheme =
            name === 'href' || name === 'src' ? /^\s*([a-z][a-z0-9+.-]*):/i.exec(value)?.[1] : undefined;
          if (scheme && !SCHEMES.has(scheme.toLowerCase())) found.push(`${name}=${value}`);
          if (scheme?.toLowerCase() === 'data' && !/^data:image\//i.test(value))
            found.push(`${name}=${value}`);
          if (/script\s*:/i.test(value) && (name === 'href' || name === 'src'))
            found.push(`${name}=${value}`);
        }
      },
    })
    .transform(html);
  return found;
}

test('whatever the markdown, nothing in the page can run', () => {
  const markdown = fc
    .array(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...ATOMS) },
        fc.string({ unit: 'binary', maxLength: 6 }),
      ),
      { maxLength: 24 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(markdown, (content) => {
      expect(faults(renderMarkdown({ content, title: null }).html)).toEqual([]);
    }),
    { numRuns: 1500 },
  );
});

test('the property sees what it looks for', () => {
  const unsafe =
    '<body><script></script><p onclick=x></p><a href="JAVASCRIPT:x"></a><img src="data:text/html,x">';
  expect(faults(unsafe)).toEqual([
    '<script>',
    'onclick',
    'href=JAVASCRIPT:x',
    'href=JAVASCRIPT:x',
    'src=data:text/html,x',
  ]);
  expect(faults('<body><a href="https://a.example"></a><img src="data:image/png;base64,AAAA">')).toEqual([]);
});
