import { KINDS, type Kind } from '../../../shared/items/item.ts';
import { isLine, isLongerThan } from '../../../shared/wording/line.ts';
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
  if (typeof value !== 'string') issues.add(field, 'must be text.');
  else if (isLongerThan(value, maxCharacters)) issues.add(field, `has at most ${maxCharacters} characters.`);
  else if (!isLine(value)) issues.add(field, 'must not contain control characters.');
  else return value.trim() === '' ? null : value.trim();
  return null;
}

/** Whether a boolean of the query is set: present without a value, or with one that means true. */
export function isSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && ['', 'true', '1', 'yes'].includes(value.toLowerCase());
}

/** `kind` of a list's query, which may have another name; `null` for all kinds. */
export function parseKind(query: URLSearchParams, issues: ValidationIssues, name = 'kind'): Kind | null {
  const text = query.get(name)?.trim() ?? '';
  if (text === '') return null;
  const kind = KINDS.find((known) => known === text);
  if (kind === undefined) issues.add(name, `must be one of ${KINDS.join(', ')}.`);
  return kind ?? null;
}

/** The requested page of a list. */
export interface NumberedPage {
  /** Number of the page, from 1. */
  page: number;
  size: number;
}

/** Largest page number, far beyond the end of any list. */
export const MAX_PAGE = 1_000_000;

/** `page` and `size` of a query. */
export function parseNumberedPage(
  query: URLSearchParams,
  size: { default: number; max: number },
  issues: ValidationIssues,
): NumberedPage {
  return {
    page: parseCount(query, 'page', MAX_PAGE, issues) ?? 1,
    size: parseCount(query, 'size', size.max, issues) ?? size.default,
  };
}

/** A whole number of a query, from 1; `null` when it is left out or blank. */
export function parseCount(
  query: URLSearchParams,
  name: string,
  max: number,
  issues: ValidationIssues,
): number | null {
  const text = query.get(name)?.trim() ?? '';
  if (text === '') return null;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  issues.add(name, `must be a whole number from 1 to ${max}.`);
  return null;
}

/** How a service is asked for a page. */
export const offsetAndLimit = ({ page, size }: NumberedPage): { offset: number; limit: number } => ({
  offset: (page - 1) * size,
  limit: size,
});

/** A page of a list as an answer. */
export const numberedPage = <I>(items: I[], total: number, { page, size }: NumberedPage) => ({
  items,
  total,
  page,
  size,
  pages: Math.ceil(total / size),
});

/** A date, or a date with a time and a zone (ISO 8601). A plus sign that was not encoded arrives as a space. */
const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:Z|([+ -])(\d{2}:?\d{2})))?$/i;

/** Years that the database can hold in every time zone. */
const YEARS = { first: 1970, last: 9998 };

/** An instant of a query, in ms since the epoch; a date is its first moment, UTC. `null` when it is left out or blank. */
export function parseInstant(query: URLSearchParams, name: string, issues: ValidationIssues): number | null {
  const text = query.get(name)?.trim() ?? '';
  return text === '' ? null : instantIn(text, name, issues);
}

/** The instant that a text names, in ms since the epoch; a date is its first moment, UTC. `null` when it names none. */
export function instantIn(text: string, name: string, issues: ValidationIssues): number | null {
  const [matched, year = '', month = '', day = '', time = '00:00', sign, zone = ''] =
    INSTANT.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  const offset =
    sign === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${zone.replace(/^(\d\d)(\d\d)$/, '$1:$2')}`;
  const at = matched === undefined || !isDate(date) ? Number.NaN : Date.parse(`${date}T${time}${offset}`);
  if (!Number.isFinite(at)) {
    issues.add(
      name,
      'must be a date or an instant of ISO 8601 with its zone, such as 2026-11-21 or 2026-11-21T07:20:21Z.',
    );
    return null;
  }
  if (Number(year) >= YEARS.first && Number(year) <= YEARS.last) return at;
  issues.add(name, `must be of a year from ${YEARS.first} to ${YEARS.last}.`);
  return null;
}

/** `Date.parse` takes 30 February for 2 March. */
function isDate(date: string): boolean {
  const at = Date.parse(`${date}T00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(date);
}
