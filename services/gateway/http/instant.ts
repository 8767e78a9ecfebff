import type { ValidationIssues } from './validation-issues.ts';

/** A date, or a date with a time and a zone (ISO 8601). A plus sign that was not encoded arrives as a space. */
const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:Z|([+ -])(\d{2}:?\d{2})))?$/i;

/** Years that the database can hold in every time zone. */
const YEARS = { first: 1970, last: 9998 };

/** An instant of a query, in ms since the epoch; a date is its first moment, UTC. `null` when it is left out or blank. */
export function parseInstant(query: URLSearchParams, name: string, issues: ValidationIssues): number | null {
  const text = query.get(name)?.trim() ?? '';
  if (text === '') return null;
  const [matched, year = '', month = '', day = '', time = '00:00', sign, zone = ''] =
    INSTANT.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  const offset =
    sign === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${zone.replace(/^(\d\d)(\d\d)$/, '$1:$2')}`;
  const at = matched === undefined || !isDate(date) ? Number.NaN : Date.parse(`${date}T${time}${offset}`);
  if (!Number.isFinite(at)) {
    issues.add(
      'VALIDATION_FAILED',
      name,
      'must be a date or an instant of ISO 8601 with its zone, such as 2026-11-21 or 2026-11-21T07:20:21Z.',
    );
    return null;
  }
  if (Number(year) >= YEARS.first && Number(year) <= YEARS.last) return at;
  issues.add('VALIDATION_FAILED', name, `must be of a year from ${YEARS.first} to ${YEARS.last}.`);
  return null;
}

/** `Date.parse` takes 30 February for 2 March. */
function isDate(date: string): boolean {
  const at = Date.parse(`${date}T00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(date);
}
