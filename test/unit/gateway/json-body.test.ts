import { expect, test } from 'bun:test';
import { createMemoryBudget } from '../../../services/gateway/admission/memory-budget.ts';
import { readJsonObject } from '../../../services/gateway/admission/read-body.ts';
import { inexactNumber } from '../../../services/gateway/http/json.ts';
import { errors } from '../../../shared/errors.ts';
import { bodyOf, contextWith } from './request-context.ts';

const budget = createMemoryBudget(() => errors.refused('uploads'));
const limit = { bytes: 32 * 1_048_576, tooLarge: () => errors.pageTooLarge(1) };

const read = async (text: string) => {
  const context = contextWith(bodyOf([new TextEncoder().encode(text)]).stream);
  return await readJsonObject(context, limit, budget).finally(() => context.end());
};

/** An object with so many characters outside of its texts. */
const withStructure = (characters: number): string => {
  const frame = '{"content":"x","a":[1]}';
  const own = frame.replaceAll(/"[^"]*"/g, '""').length - 3;
  return frame.replace('[1]', `[1${'0'.repeat(characters - own)}]`);
};

test('texts may be long, and white space too', async () => {
  const content = '[{,'.repeat(2_000_000);
  expect(await read(JSON.stringify({ content }))).toEqual({ content });
  expect(await read(`{${' '.repeat(1_000_000)}"content": "x"}`)).toEqual({ content: 'x' });
});

test('what stands outside of texts may have 65,536 characters, and not one more', async () => {
  const parts = (text: string) => text.replaceAll(/"[^"]*"/g, '"').length;
  for (const characters of [65_535, 65_536]) {
    const text = withStructure(characters);
    expect(parts(text)).toBe(characters);
    expect(await read(text)).toMatchObject({ content: 'x' });
  }
  await expect(read(withStructure(65_537))).rejects.toMatchObject({ code: 'JSON_INVALID' });
});

test('a body of brackets is refused before it is parsed', async () => {
  for (const text of [`{"a":[${'[],'.repeat(2_000_000)}1]}`, '['.repeat(4_000_000)])
    await expect(read(text)).rejects.toMatchObject({ code: 'JSON_INVALID' });
});

test('only where an object is wanted is one asked for', async () => {
  for (const text of ['[]', '1', 'null', '"x"'])
    await expect(read(text)).rejects.toMatchObject({
      code: 'JSON_INVALID',
      message: 'The body is JSON, but not an object. Send one JSON object.',
    });
});

test('the place at which it goes wrong is told, and nesting by itself', async () => {
  for (const [text, message] of [
    ['[1', 'The body is not valid JSON: it ends too early, at line 1, column 3. Send JSON in UTF-8.'],
    ['{\n  "a": 1,\n}', 'The body is not valid JSON: see line 3, column 1. Send JSON in UTF-8.'],
    [
      '['.repeat(513) + ']'.repeat(513),
      'The body is nested deeper than 512 levels, which is the limit. Send JSON of fewer levels.',
    ],
  ] as const)
    await expect(read(text)).rejects.toMatchObject({ code: 'JSON_INVALID', message });
});

test.each([
  '1.50',
  '[1e2, -0, 0.10]',
  '9007199254740992',
  '100000000000000000000',
  '5e-324',
  '"1e400"',
  '{"a":"\\"1e400"}',
])('a double holds the numbers of %s', (text) => {
  expect(inexactNumber(text)).toBeNull();
});

test.each([
  ['[1, 12345678901234567890]', '12345678901234567890'],
  ['{"a":9007199254740993}', '9007199254740993'],
  ['-1e400', '-1e400'],
  ['1e-400', '1e-400'],
  ['3.14159265358979323846', '3.14159265358979323846'],
  [`1${'0'.repeat(400)}`, `1${'0'.repeat(400)}`],
])('a double does not hold a number of %s', (text, number) => {
  expect(inexactNumber(text)).toBe(number);
});

test('numbers within texts are none, however quotes and backslashes stand in them', () => {
  const pieces = ['"', '\\', '\\"', '12345678901234567890', 'a', ' ', '1e999'];
  for (let seed = 0; seed < 2_000; seed++) {
    const text = Array.from(
      { length: 6 },
      (_, at) => pieces[Math.floor(seed / pieces.length ** (at % 4)) % pieces.length],
    ).join('');
    expect(inexactNumber(JSON.stringify([text, text, 1]))).toBeNull();
    expect(
      inexactNumber(JSON.stringify([text, { [text]: text }]).replace(/\]$/, ',12345678901234567890]')),
    ).toBe('12345678901234567890');
  }
});
