import { expect, test } from 'bun:test';
import { htmlTitle } from '../../../services/gateway/rendered-pages/page-head.ts';

test.each([
  ['<title>Plain</title>', 'Plain'],
  ['<!doctype html><head><TITLE lang=en>\n  Two\n lines </TITLE>', 'Two lines'],
  ['<title>Fish &amp; chips &#39;n&#x27; peas</title>', "Fish & chips 'n' peas"],
  ['<title></title><p>x', null],
  ['<title>   </title>', null],
  ['<p>no title', null],
  ['<title>never closed', null],
  ['<title>never closed</titles>', null],
  ['<titles>another</titles><title>real</title>', 'real'],
  [`<title>${'x'.repeat(300)}</title>`, 'x'.repeat(200)],
  [`<title>${'🐦'.repeat(300)}</title>`, '🐦'.repeat(200)],
  [`<title>${' '.repeat(5_000)}far</title>`, 'far'],
  [`${' '.repeat(70_000)}<title>too far in</title>`, null],
])('the title of an HTML page %#', (html, title) => {
  expect(htmlTitle(html)).toBe(title);
});

test.each([
  ['<!doctype html><title>Vec<T> in Rust</title>', 'Vec<T> in Rust'],
  ['<title><!-- no --> </b> comment</title>', '<!-- no --> </b> comment'],
  ['<title>a</title >', 'a'],
])('has no markup in it: %j', (html, title) => {
  expect(htmlTitle(html)).toBe(title);
});

const NO_TITLE = '<title>no</title>';

test.each([
  `<!-- ${NO_TITLE} -->`,
  `<!--> <!-- ${NO_TITLE} --!>`,
  `<? <title>`,
  `</ <title>`,
  `<script>a = "${NO_TITLE}</scripts>"</script>`,
  `<STYLE>/* ${NO_TITLE} */</Style\n>`,
  `İ<textarea>${NO_TITLE}</textarea>`,
  `<noscript>${NO_TITLE}</noscript>`,
  `<svg><svg>${NO_TITLE}</svg>${NO_TITLE}<style/></svg>`,
  `<math>${NO_TITLE}</math>`,
  `<template/>${NO_TITLE}<template>${NO_TITLE}</template>${NO_TITLE}</template>`,
  `<svg/></svg>`,
  `<p title="${NO_TITLE}">`,
  `<p a = '"${NO_TITLE}' b=">" / c>`,
])('is not taken from elsewhere: %j', (before) => {
  expect(htmlTitle(`${before}<title>real</title>`)).toBe('real');
});

test.each(['<title data-x=">">', '<title a=\'>\' b = ">">', '<title\n/>', '<title a="b"c=d>'])(
  'may have attributes: %j',
  (tag) => {
    expect(htmlTitle(`${tag}real</title>`)).toBe('real');
  },
);

test.each([`<p title=don't>`, `<p title=a"b">`, `<p '>`, `<p a="b"'c">`, `<p a==">`, '< "', '1 <'])(
  'stands behind quotes that open nothing: %j',
  (before) => {
    expect(htmlTitle(`${before}<title>real</title>`)).toBe('real');
  },
);

test('has no control characters', () => {
  expect(htmlTitle('<title>&#7;</title>')).toBeNull();
  expect(htmlTitle('<title>a\u0001&#x1b;b&#10;\u0085&#9;c\u007f</title>')).toBe('ab c');
});

test('is found in linear time, whatever the page', () => {
  const units = [
    ...['<', '</', '<!', '<!--', '<?', '<title', '</title', '<title a="', "<title a='", '<title a=', '<a '],
    ...['<svg>', '</svg>', '<svg/>', '<script>', '<style></style>', '<p a=b c="d">', '&', '&#7;', '\t', '"'],
  ];
  for (const unit of units) {
    const many = unit.repeat(100_000);
    for (const start of ['', '<title>', '<title ', '<svg>', '<script>', '<!--'])
      expect(htmlTitle(start + many)).toBeNull();
  }
});
