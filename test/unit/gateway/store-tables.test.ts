import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { storePage, storeTable } from '../../../services/gateway/kinds/kv/store-page.ts';
import { createStoreTables } from '../../../services/gateway/kinds/kv/store-tables.ts';
import { laidOut } from '../../../services/gateway/kinds/kv/value.ts';

const page = {
  namespace: 'team',
  id: 'settings',
  title: '',
  count: 1,
  language: 'en' as const,
  entries: [{ key: 'a', value: '[1.50]', sizeBytes: 6, version: 2, updatedAt: new Date(0) }],
  createdAt: new Date(0),
  expiresAt: new Date(86_400_000),
  baseUrl: 'https://p.example',
  reportUrl: '/report',
  ownUrl: '/own',
  downloadUrl: '/n/i?dl=true',
  rawUrl: '/n/i?raw=true',
  state: 's',
};

/** Tables, and how often one was made. */
function countedTables(keptCharacters?: number) {
  let made = 0;
  const make: typeof storeTable = (input) => {
    made += 1;
    return storeTable(input);
  };
  return { ...createStoreTables(make, keptCharacters), made: () => made };
}

test('the table of a store is made once for all of its readers, and is the one that a page makes', () => {
  const tables = countedTables();
  const [first, second] = [tables.of(page), tables.of(page)];
  expect(second).toBe(first);
  expect(tables.made()).toBe(1);
  expect(storePage(page, first)).toBe(storePage(page));
});

test('each state, language and address has a table of its own', () => {
  const tables = countedTables();
  const others = [
    ...[{ state: 't' }, { language: 'de' as const }, { baseUrl: 'https://q.example' }],
    ...[{ namespace: 'others' }, { id: 'options' }],
  ];
  for (const other of [{}, ...others, ...others]) {
    const asked = { ...page, ...other };
    expect(storePage(asked, tables.of(asked))).toBe(storePage(asked));
  }
  expect(tables.made()).toBe(1 + others.length);
});

test('what differs from reader to reader stands outside of the table', () => {
  const tables = countedTables();
  tables.of(page);
  const later = {
    ...page,
    title: 'Renewed',
    expiresAt: new Date(2 * 86_400_000),
    createdAt: new Date(1_000),
    ownUrl: '/own?ticket=1',
    downloadUrl: '/n/i?dl=true&ticket=1',
    rawUrl: '/n/i?raw=true',
    reportUrl: '/other',
    publicUrl: '/public',
    previewUrl: '/preview',
  };
  expect(storePage(later, tables.of(later))).toBe(storePage(later));
  expect(tables.made()).toBe(1);
});

const TABLE_CHARACTERS = storeTable(page).toString().length + 512;

test.each([
  [TABLE_CHARACTERS - 1, 2],
  [TABLE_CHARACTERS, 1],
  [TABLE_CHARACTERS + 1, 1],
])('within %d characters two reads make %d', (characters, made) => {
  const tables = countedTables(characters);
  tables.of(page);
  tables.of(page);
  expect(tables.made()).toBe(made);
});

test('the table that was not read for the longest time gives way', () => {
  const tables = countedTables(2 * TABLE_CHARACTERS);
  for (const state of ['a', 'b', 'a', 'c', 'a']) tables.of({ ...page, state });
  expect(tables.made()).toBe(3);
  tables.of({ ...page, state: 'b' });
  expect(tables.made()).toBe(4);
});

test('any JSON is laid out as it is, and its numbers as they were written', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const [text, lines] = [JSON.stringify(value), JSON.stringify(value, null, 2)];
      // A double's own form has an exponent in some numbers, which then passes by the exact way.
      expect(laidOut(text)).toBe(lines);
    }),
  );
  expect(laidOut('[1.50,1e5,-0,12345678901234567890,"1.50"]')).toBe(
    '[\n  1.50,\n  1e5,\n  -0,\n  12345678901234567890,\n  "1.50"\n]',
  );
});
