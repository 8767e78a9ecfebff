import { describe, expect, test } from 'bun:test';
import { parseCsv, sortedRows } from '../../../services/gateway/web/browser/viewers/csv-rows.ts';

const MB = 1_048_576;

describe('separated values', () => {
  test('are cells, whatever separates them, quoted or not', () => {
    const rows = [
      ['a', 'b'],
      ['1', 'x;"y"\nz'],
    ];
    expect(parseCsv('a,b\n1,"x;""y""\nz"\n', false).rows).toEqual(rows);
    expect(parseCsv('a;b\r\n1;"x;""y""\nz"\r\n', false)).toMatchObject({ rows, hasDecimalCommas: true });
    expect(parseCsv('a\tb\n1\t"x;""y""\nz"', true).rows).toEqual(rows);
  });

  test('may have rows of any length, and none', () => {
    expect(parseCsv('a\n1,2,3\n', false)).toMatchObject({ columns: 3 });
    expect(parseCsv('', false)).toMatchObject({ rows: [], columns: 0 });
  });

  test('are cut where a browser could not show them', () => {
    const many = parseCsv('1\n'.repeat(310_000), true);
    expect([many.rows.length, many.isCut.rows]).toEqual([300_000, true]);
    expect(parseCsv(','.repeat(MB), false)).toMatchObject({ columns: 200, isCut: { columns: true } });
  });

  test.each([
    ['one line', 'x'.repeat(5 * MB)],
    ['quotes', '"'.repeat(5 * MB)],
    ['quotes and letters', '"a'.repeat(2 * MB)],
    ['an open quote on each line', '"a\n'.repeat(MB)],
    ['escaped quotes without an end', `"${'""a'.repeat(MB)}`],
    ['quotes that end nothing', `"${'" "'.repeat(MB)}`],
    ['line ends of all kinds', '\r\n\r\n\n'.repeat(MB)],
    ['separators of all kinds', ',;\t|'.repeat(MB)],
  ])(
    'are read to their end, whatever they are made of: %s',
    (_, text) => {
      const { rows, columns } = parseCsv(text, false);
      expect(rows.length).toBeLessThanOrEqual(300_000);
      expect(columns).toBeLessThanOrEqual(200);
    },
    60_000,
  );
});

describe('an order', () => {
  const column = (
    cells: string[],
    isDescending = false,
    how = { hasDecimalCommas: false, language: 'de' },
  ): string[] => {
    const rows = cells.map((cell) => [cell]);
    return sortedRows(rows, [...rows.keys()], { column: 0, isDescending }, how).map((at) => cells[at] ?? '');
  };

  test('is by value, numbers first and blanks last', () => {
    const cells = ['b', '10', '', '9.5', 'Ä', '-1e2', 'a', ' '];
    expect(column(cells)).toEqual(['-1e2', '9.5', '10', 'a', 'Ä', 'b', '', ' ']);
    expect(column(cells, true)).toEqual(['b', 'Ä', 'a', '10', '9.5', '-1e2', '', ' ']);
  });

  test('reads decimal commas and units', () => {
    expect(column(['10,5', '9,75 €', '50 %'], false, { hasDecimalCommas: true, language: 'de' })).toEqual([
      '9,75 €',
      ...['10,5', '50 %'],
    ]);
  });

  test('keeps the order of what is equal, and takes rows that are too short', () => {
    const rows = [['a', '1'], ['b'], ['c', '1']];
    const how = { hasDecimalCommas: false, language: 'en' };
    expect(sortedRows(rows, [0, 1, 2], { column: 1, isDescending: true }, how)).toEqual([0, 2, 1]);
  });
});
