import { expect, test } from 'bun:test';
import { hasCurrent, parseIfMatch } from '../../../services/gateway/http/conditional.ts';

test.each([
  [null, null],
  ['*', '*'],
  [' * ', '*'],
  ['"a"', ['"a"']],
  ['"a", "b"', ['"a"', '"b"']],
  ['"a","b,c" ,"d"', ['"a"', '"b,c"', '"d"']],
  ['""', ['""']],
  ['W/"a"', []],
  ['W/"a", "b"', ['"b"']],
  ['w/"a"', []],
  ['a', []],
  ['', []],
  ['"a', []],
  ['"a" "b"', []],
  ['*, "a"', ['"a"']],
  ['"a-zstd", "b-br","c-gzip"', ['"a"', '"b"', '"c"']],
  ['"a-deflate"', ['"a-deflate"']],
])('If-Match %p allows %p', (header, tags) => {
  expect(parseIfMatch(header)).toEqual(tags as string[]);
});

test('a hostile If-Match is read in linear time', () => {
  expect(parseIfMatch('"'.repeat(60_000))).toEqual([]);
  expect(parseIfMatch(`"a"${' '.repeat(60_000)}x`)).toEqual([]);
  expect(parseIfMatch(',\t'.repeat(60_000))).toEqual([]);
});

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  [null, false],
])('If-None-Match %p names "a": %p', (header, matches) => {
  const headers = new Headers(header === null ? {} : { 'If-None-Match': header });
  expect(hasCurrent(new Request('http://perch', { headers }), '"a"')).toBe(matches);
});
