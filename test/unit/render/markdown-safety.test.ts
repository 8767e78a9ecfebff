import { expect, test } from 'bun:test';
import { decodeHTMLAttribute } from 'entities';
import fc from 'fast-check';
import { renderMarkdown } from '../../../services/content/render/markdown.ts';
import { anyCharacter } from '../../any-character.ts';

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

/** An attribute's URL as a browser reads it: references decoded, tabs and line ends dropped (WHATWG URL, 4.4). */
const asParsed = (value: string): string =>
  decodeHTMLAttribute(value)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a URL parser strips
    .replace(/^[\u0000-\u0020]+|[\t\n\r]/g, '');

/** Finds unsafe markup in the rendered body, as a browser's tokeniser would see it. */
function faults(html: string): string[] {
  const found: string[] = [];
  new HTMLRewriter()
    .on('body *', {
      element(element) {
        if (FORBIDDEN.has(element.tagName)) found.push(`<${element.tagName}>`);
        for (const [name = '', value = ''] of element.attributes) {
          if (name.startsWith('on') || name === 'style' || name === 'srcdoc') found.push(name);
          if (name !== 'href' && name !== 'src') continue;
          const url = asParsed(value);
          const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
          const allowed = scheme === undefined || SCHEMES.has(scheme);
          if (!allowed || (scheme === 'data' && !/^data:image\//i.test(url))) found.push(`${name}=${value}`);
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
        fc.string({ unit: anyCharacter, maxLength: 6 }),
      ),
      { maxLength: 24 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(markdown, (content) => {
      expect(faults(renderMarkdown({ content, title: null, filename: null }).html)).toEqual([]);
    }),
    { numRuns: 1500 },
  );
});

test('the property sees what it looks for', () => {
  const unsafe =
    '<body><script></script><p onclick=x></p><a href="JAVASCRIPT:x"></a><img src="data:text/html,x">' +
    '<a href="\u0001 java\tscript:x"></a><a href="&#106;avascript&colon;x"></a>';
  expect(faults(unsafe)).toEqual([
    '<script>',
    'onclick',
    'href=JAVASCRIPT:x',
    'src=data:text/html,x',
    'href=\u0001 java\tscript:x',
    'href=&#106;avascript&colon;x',
  ]);
  expect(faults('<body><a href="https://a.example"></a><img src="data:image/png;base64,AAAA">')).toEqual([]);
});
