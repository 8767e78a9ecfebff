/** Query parameters whose values are secrets (shapes.md, "Access log"). */
const SECRET_PARAMETERS = new Set(['p', 'token', 'password', 'ticket']);

/** A query string fit for a log. A name counts also where it is percent-encoded: it is the same parameter. */
export function maskQuery(search: string): string {
  return search.split('&').map(maskPair).join('&');
}

function maskPair(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  if (name === pair) return pair;
  const [decoded = ''] = new URLSearchParams(name).keys();
  return SECRET_PARAMETERS.has(decoded.toLowerCase()) ? `${name}=***` : pair;
}

/** A path fit for a log: a ticket in it opens a protected item. */
export const maskPath = (path: string): string => path.replace(/\/(?:~|%7e)\d{1,12}\.[^/]*/i, '/~***');
