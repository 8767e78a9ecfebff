/** How a table is sorted: by which column, and which way. */
export interface CsvOrder {
  readonly column: number;
  readonly isDescending: boolean;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** Sorts a cell: a number, a text, or `null` when it is blank. */
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
