import { parseRows, separatorOf } from '../../../../../shared/pages/separated-values.ts';

export interface CsvTable {
  /** Rows of cells, those of the heading among them. */
  readonly rows: string[][];
  /** Most cells of a row, of those that are shown. */
  readonly columns: number;
  /** Whether there are more rows, or columns, than are shown. */
  readonly isCut: { readonly rows: boolean; readonly columns: boolean };
  /** Whether numbers in it are written with a decimal comma, as where fields are separated by semicolons. */
  readonly hasDecimalCommas: boolean;
}

/** A browser lays out no element that is higher than some ten million pixels. */
const MAX_ROWS = 300_000;
const MAX_COLUMNS = 200;

/** A text as a table: separated by tabs, or by whatever its first lines are separated by. */
export function parseCsv(text: string, isTabbed: boolean): CsvTable {
  const separator = isTabbed ? '\t' : separatorOf(text);
  const found = parseRows(text, separator, MAX_ROWS + 1);
  const rows = found.slice(0, MAX_ROWS);
  let widest = 0;
  for (const row of rows) widest = Math.max(widest, row.length);
  return {
    rows,
    columns: Math.min(widest, MAX_COLUMNS),
    isCut: { rows: found.length > rows.length, columns: widest > MAX_COLUMNS },
    hasDecimalCommas: separator === ';',
  };
}

/** How a table is sorted: by which column, and which way. */
export interface CsvOrder {
  readonly column: number;
  readonly isDescending: boolean;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** The value that a cell is sorted by: a number, a text, or `null` when it is blank. */
function sortKey(cell: string, hasDecimalCommas: boolean): number | string | null {
  const text = cell.trim();
  if (text === '') return null;
  if (text.length > 40) return text.slice(0, 200);
  const plain = (hasDecimalCommas ? text.replace(',', '.') : text).replace(/[ %€$£]+$/, '');
  return NUMBER.test(plain) ? Number(plain) : text;
}

/**
 * The numbers of rows in an order: numbers by their value and before texts, texts as the reader's language sorts them, blanks last either way.
 * Rows that are equal keep their order.
 */
export function sortedRows(
  rows: readonly string[][],
  numbers: readonly number[],
  { column, isDescending }: CsvOrder,
  { hasDecimalCommas, language }: { hasDecimalCommas: boolean; language: string },
): number[] {
  const keys = new Map<number, number | string | null>();
  for (const at of numbers) keys.set(at, sortKey(rows[at]?.[column] ?? '', hasDecimalCommas));
  const { compare } = new Intl.Collator(language);
  const sign = isDescending ? -1 : 1;
  return numbers.toSorted((one, other) => {
    const [a, b] = [keys.get(one) ?? null, keys.get(other) ?? null];
    if (a === null || b === null) return a === b ? one - other : a === null ? 1 : -1;
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b) || one - other;
    if (typeof a === 'string' && typeof b === 'string') return sign * compare(a, b) || one - other;
    return sign * (typeof a === 'number' ? -1 : 1);
  });
}
