import { expect, test } from 'bun:test';
import { withLineEndsOf, withLineFeeds } from '../../../services/gateway/web/browser/editing/edited-item.ts';
import { isSameValue, valueIn } from '../../../services/gateway/web/browser/editing/stored-pairs.ts';

test('a text keeps its line ends through a field of a page', () => {
  for (const stored of ['', 'a', 'a\nb\n', 'a\r\nb\r\n', '\r\n'])
    expect(withLineEndsOf(withLineFeeds(stored), stored)).toBe(stored);
  expect(withLineEndsOf('a\nb\nc', 'x\r\ny')).toBe('a\r\nb\r\nc');
});

test('a text with line ends of several kinds gets those of the field', () => {
  expect(withLineFeeds('a\rb\r\nc\nd')).toBe('a\nb\nc\nd');
  expect(withLineEndsOf('a\nb', 'a\r\nb\n')).toBe('a\nb');
});

const answer = (key: string, value: string): string =>
  `{"namespace":"public","id":"a","key":${JSON.stringify(key)},"value":${value},"version":3,"updatedAt":"x","expiresAt":"y","views":0}`;

test.each([
  ['1.50', '1.50', false],
  ['12345678901234567890', '12345678901234567890', false],
  ['{"version":1,"value":[]}', '{"version":1,"value":[]}', false],
  ['",\\"version\\":1"', ',"version":1', true],
  ['null', 'null', false],
])('a stored value %s is edited as %s', (value, text, isText) => {
  for (const key of ['a', '","value":1', 'ü']) expect(valueIn(answer(key, value))).toEqual({ text, isText });
});

test.each([
  ['{ "a b": [1.50,\n"x\\" y"] }', '{"a b":[1.50,"x\\" y"]}', true],
  ['"a  b"', '"a b"', false],
  ['12345678901234567890', '12345678901234567891', false],
  ['1.5', '1.50', false],
])('values %s and %s are one: %s', (one, other, expected) => {
  expect(isSameValue({ text: one, isText: false }, { text: other, isText: false })).toBe(expected);
});

test('a text is told from the JSON that it looks like, and is the JSON of a string', () => {
  expect(isSameValue({ text: '7', isText: true }, { text: '7', isText: false })).toBe(false);
  expect(isSameValue({ text: 'a  b', isText: true }, { text: ' "a  b"', isText: false })).toBe(true);
  expect(isSameValue({ text: 'a  b', isText: true }, { text: 'a b', isText: true })).toBe(false);
});
