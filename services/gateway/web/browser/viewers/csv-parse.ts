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
const MOST_ROWS = 300_000;
const MOST_COLUMNS = 200;

/** A text as a table: separated by tabs, or by whatever its first lines are separated by. */
export function parseCsv(text: string, isTabbed: boolean): CsvTable {
  const separator = isTabbed ? '\t' : separatorOf(text);
  const found = parseRows(text, separator, MOST_ROWS + 1);
  const rows = found.slice(0, MOST_ROWS);
  let widest = 0;
  for (const row of rows) widest = Math.max(widest, row.length);
  return {
    rows,
    columns: Math.min(widest, MOST_COLUMNS),
    isCut: { rows: found.length > rows.length, columns: widest > MOST_COLUMNS },
    hasDecimalCommas: separator === ';',
  };
}
