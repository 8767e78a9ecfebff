/**
 * Columns as PostgreSQL reads arrays (its manual, "Array Value Input Syntax"). The client writes them, too, but quotes
 * each number and searches each text anew, which took longer than all else in `analytics`.
 */
export interface ArrayLiterals {
  numbers(values: readonly number[]): string;
  texts(values: readonly (string | null)[]): string;
}

/** For columns that have texts in common: each is quoted once. */
export function createArrayLiterals(): ArrayLiterals {
  const known = new Map<string | null, string>([[null, 'null']]);
  let last: string | null = null;
  let literalOfLast = 'null';
  const quoted = (text: string | null): string => {
    if (text === last) return literalOfLast;
    last = text;
    literalOfLast = known.get(text) ?? quoteFirst(text);
    return literalOfLast;
  };
  const quoteFirst = (text: string | null): string => {
    const literal = `"${(text ?? '').replace(/[\\"]/g, '\\$&')}"`;
    known.set(text, literal);
    return literal;
  };
  return {
    numbers: (values) => `{${values.join(',')}}`,
    texts: (values) => `{${values.map(quoted).join(',')}}`,
  };
}
