import { dsvFormat } from 'd3-dsv';

/** Signs that separate values; the first of those that are as frequent is taken. */
const SEPARATORS = [',', ';', '\t', '|'] as const;

/** How much of a text tells what separates its values, in characters. */
const LOOKED_AT = 10_000;

/** The sign that separates the values of a text: the one that is most frequent outside of quotes in its first lines. */
export function separatorOf(text: string): string {
  const unquoted = text.slice(0, LOOKED_AT).replace(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((separator) => unquoted.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The rows of separated values (RFC 4180, and what else is about), at most so many; blank lines are none. */
export function parseRows(text: string, separator: string, maxRows: number): string[][] {
  let count = 0;
  return dsvFormat(separator).parseRows(text, (row) => {
    if (count >= maxRows || (row.length === 1 && row[0]?.trim() === '')) return null;
    count += 1;
    return row;
  });
}
