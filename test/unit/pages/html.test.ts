import { expect, test } from 'bun:test';
import { compactCss } from '../../../shared/pages/compact-css.ts';
import { dateTag, instantTag } from '../../../shared/pages/format.ts';
import { html, trusted } from '../../../shared/pages/html.ts';
import { formatSize } from '../../../shared/wording/format-size.ts';

test('escapes values, not what is HTML already', () => {
  const hostile = `<b a='1' c="2">&`;
  expect(html`<p title="${hostile}">${hostile}${html`<i>${1}</i>`}${trusted('<hr>')}</p>`.toString()).toBe(
    '<p title="&lt;b a=&#x27;1&#x27; c=&quot;2&quot;&gt;&amp;">&lt;b a=&#x27;1&#x27; c=&quot;2&quot;&gt;&amp;<i>1</i><hr></p>',
  );
});

test('joins arrays and leaves out what is nothing', () => {
  expect(html`${['<', html`<br>`, ['a', 0]]}${null}${undefined}${false}${true}`.toString()).toBe(
    '&lt;<br>a0',
  );
});

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1023 bytes'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [10_240, '10 KB'],
  [1_048_575, '1 MB'],
  [5 * 1_048_576, '5 MB'],
  [5000 * 1_048_576, '4.9 GB'],
])('writes %d bytes as %s', (bytes, expected) => {
  expect(formatSize(bytes)).toBe(expected);
});

test('writes dates in UTC', () => {
  const date = new Date('2026-12-06T23:05:09.000Z');
  expect(dateTag(date).toString()).toBe(
    '<time datetime="2026-12-06T23:05:09.000Z" title="6 Dec 2026, 23:05 UTC">6 Dec 2026</time>',
  );
  expect(instantTag(date).toString()).toBe(
    '<time datetime="2026-12-06T23:05:09.000Z">6 Dec 2026, 23:05 UTC</time>',
  );
});

test('compacts a stylesheet without changing it', () => {
  expect(
    compactCss(
      '/* a */\n:not(pre) > code,\n a :hover {\n  margin: 0 1px;\n  color: var(--x);\n}\n@media (max-width: 4rem) {\n a { b: c; }\n}',
    ),
  ).toBe(':not(pre)>code,a :hover{margin:0 1px;color:var(--x)}@media (max-width:4rem){a{b:c}}');
});
