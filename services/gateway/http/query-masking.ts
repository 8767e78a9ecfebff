/** Query parameters whose values are secrets (shapes.md, "Access log"). */
const SECRET_PARAMETER = /(^|&)(p|token|password)=[^&]*/gi;

/** A query string fit for a log. */
export function maskQuery(search: string): string {
  return search === '' ? '' : search.replace(SECRET_PARAMETER, '$1$2=***');
}
