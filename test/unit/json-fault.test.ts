import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { jsonFaultOf } from '../../shared/wording/json-fault.ts';

/** Texts that lack something at their end. */
const ENDS = new Set(['[1,\n\n  2', '', ' \n']);

test.each([
  ['{"a":1,}', 1, 8],
  ['{\n  "a": 1,\n  b: 2\n}', 3, 3],
  ['{\r\n"a" 1}', 2, 5],
  ['[1,\n\n  2', 3, 4],
  ['', 1, 1],
  [' \n', 2, 1],
  ['[01]', 1, 3],
  ['[1.]', 1, 3],
  ['[nul]', 1, 2],
  ["{'a':1}", 1, 2],
  ['["a\nb"]', 1, 4],
  ['["\\x"]', 1, 3],
  ['["\\u12"]', 1, 3],
  ['{"a":1} 🐦', 1, 9],
  ['[1]]', 1, 4],
  ['{"a":[1}', 1, 8],
  ['[,1]', 1, 2],
  ['\uFEFF{}', 1, 1],
])('%j goes wrong at line %d, column %d', (text, line, column) => {
  expect(jsonFaultOf(text)).toEqual({ line, column, isEnd: ENDS.has(text) });
});

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test('is told for what the parser of the engine refuses, and for nothing else', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '\\',
    '\\n',
    '\\u00e4',
    '1',
    '-',
    '0',
    '.5',
    'e+1',
  ];
  const parts = fc.constantFrom(...pieces, 'true', 'null', ' ', '\n', '\t', '\f', '\u2028', 'é', '\u0001');
  const texts = fc.oneof(
    fc.array(parts, { maxLength: 12 }).map((some) => some.join('')),
    fc.tuple(fc.json(), fc.nat(), parts, fc.nat(2)).map(([json, place, part, removed]) => {
      const at = place % (json.length + 1);
      return json.slice(0, at) + part + json.slice(at + removed);
    }),
    fc.json(),
  );
  fc.assert(
    fc.property(texts, (text) => (jsonFaultOf(text) === null) === isJson(text)),
    { numRuns: 5_000 },
  );
});

test('is found in long texts and in deep ones', () => {
  const long = `["${'x'.repeat(1_000_000)}\\q"]`;
  expect(jsonFaultOf(long)).toMatchObject({ line: 1, column: 1_000_003 });
  expect(jsonFaultOf('[\n'.repeat(500_000))).toMatchObject({ line: 500_001, column: 1, isEnd: true });
  expect(jsonFaultOf(`[${'"\\\\",'.repeat(200_000)}]`)).toMatchObject({ line: 1, column: 1_000_002 });
});
