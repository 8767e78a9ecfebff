import type { ValidationIssues } from './validation-issues.ts';

/** The first of several names of one parameter that is there and not blank; the query wins over the body. */
export function pick(query: URLSearchParams, body: Record<string, unknown>, names: string[]): unknown {
  for (const name of names) if ((query.get(name) ?? '').trim() !== '') return query.get(name);
  for (const name of names)
    if (body[name] !== undefined && body[name] !== null && body[name] !== '') return body[name];
  return null;
}

/** Text up to a number of characters without control characters; `null` when absent. */
export function parseText(
  value: unknown,
  field: string,
  maxCharacters: number,
  issues: ValidationIssues,
): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string') issues.add('VALIDATION_FAILED', field, 'must be text.');
  else if (isLongerThan(value, maxCharacters))
    issues.add('VALIDATION_FAILED', field, `has at most ${maxCharacters} characters.`);
  else if (!isLine(value)) issues.add('VALIDATION_FAILED', field, 'must not contain control characters.');
  else return value.trim() === '' ? null : value.trim();
  return null;
}

/** Whether a text fits on a line: without control characters and halves of surrogate pairs. */
export const isLine = (text: string): boolean => !CONTROL.test(text) && text.isWellFormed();

/** Whether a text has more characters (code points) than that; a huge text is not taken apart to find out. */
export const isLongerThan = (text: string, characters: number): boolean =>
  text.length > 2 * characters || [...text].length > characters;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
export const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
