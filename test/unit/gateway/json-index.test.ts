import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  indexJson,
  type JsonIndex,
  pathOf,
  searchJson,
} from '../../../services/gateway/web/browser/viewers/json-index.ts';
import { createOpenRows } from '../../../services/gateway/web/browser/viewers/json-rows.ts';

/** The value as the index has it, put together again. */
function rebuilt(index: JsonIndex, node: number): unknown {
  const children: number[] = [];
  for (let at = index.firstChild(node); children.length < index.childCount(node); at = index.next(at))
    children.push(at);
  if (index.type(node) === 'array') return children.map((child) => rebuilt(index, child));
  if (index.type(node) !== 'object') return JSON.parse(index.source(node));
  return Object.fromEntries(children.map((child) => [String(index.key(child)), rebuilt(index, child)]));
}

test('has every value of any document, however it is laid out', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(0, 1, '\t'), (text, space) => {
      const value: unknown = JSON.parse(text);
      expect(rebuilt(indexJson(JSON.stringify(value, null, space)), 0)).toEqual(value);
    }),
    { numRuns: 500 },
  );
});

test('keeps numbers as they were written, members of one name, and quotes in names', () => {
  const index = indexJson('{"a":12345678901234567890.10,"a":1e400,"q\\"\\\\":"\\\\\\""}');
  expect([1, 2, 3].map((node) => [index.key(node), index.source(node)])).toEqual([
    ['a', '12345678901234567890.10'],
    ['a', '1e400'],
    ['q"\\', '"\\\\\\""'],
  ]);
});

test.each(['', '{', '[1,]', "{'a':1}", 'undefined', '1 2'])('refuses what is no JSON: %s', (text) => {
  expect(() => indexJson(text)).toThrow(SyntaxError);
});

test('says where a value stands', () => {
  const index = indexJson('{"items":[1,{"a key":[true],"$ok":null}]}');
  const paths = Array.from({ length: index.size }, (_, node) => pathOf(index, node));
  expect(paths).toEqual([
    ...['$', '$.items', '$.items[0]', '$.items[1]', '$.items[1]["a key"]', '$.items[1]["a key"][0]'],
    '$.items[1].$ok',
  ]);
});

test('shows what is open, a thousand children at a time, and the way to a value', () => {
  const index = indexJson(
    JSON.stringify({ long: Array.from({ length: 2_500 }, (_, at) => ({ at })), last: 1 }),
  );
  const open = createOpenRows(index);
  expect(open.rows.map(({ node }) => index.key(node))).toEqual([null, 'long', 'last']);
  open.toggle(1);
  expect(open.rows.length).toBe(3 + 1_000 + 1);
  expect(open.rows[1_002]).toMatchObject({ node: 1, hidden: 1_500, level: 2 });
  open.showMore(1);
  expect(open.rows.length).toBe(3 + 2_000 + 1);
  const last = 2 + 2 * 2_499 + 1;
  expect(index.source(last)).toBe('2499');
  const line = open.reveal(last);
  expect(open.rows[line]?.node).toBe(last);
  open.closeAll();
  expect(open.rows.length).toBe(3);
});

test('takes any depth', async () => {
  const deep = 100_000;
  const index = indexJson(`${'[{"a":'.repeat(deep)}"end"${'}]'.repeat(deep)}`);
  expect(index.size).toBe(2 * deep + 1);
  const [found = -1] = (await searchJson(index, 'END', () => true)) ?? [];
  expect(found).toBe(2 * deep);
  const open = createOpenRows(index);
  open.openAll(20_000);
  expect(open.rows.length).toBe(20_001);
  expect(open.reveal(found)).toBe(2 * deep);
  expect(pathOf(index, found).length).toBe(1 + 5 * deep);
});

test('a search looks at names and values in any case, and ends when it is not wanted any more', async () => {
  const index = indexJson('{"Name":"x","other":"NAMED","n":[1,"\\u006eame"],"o":{"deep":"none"}}');
  const found = await searchJson(index, 'name', () => true);
  expect(found?.map((node) => pathOf(index, node))).toEqual(['$.Name', '$.other', '$.n[1]']);
  const long = indexJson(`[${'"aaaaaaaaaa",'.repeat(300_000)}1]`);
  expect((await searchJson(long, 'a', () => true))?.length).toBe(10_000);
  expect(await searchJson(long, 'b', () => false)).toBeNull();
});
