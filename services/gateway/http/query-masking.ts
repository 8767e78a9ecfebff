/** Query parameters whose values are secrets (specification 18.3). */
const SECRET_PARAMETERS = new Set(['p', 'token', 'password', 'ticket']);

/** A query string fit for a log. A name counts also where it is percent-encoded: it is the same parameter. */
export function maskQuery(search: string): string {
  return search.split('&').map(maskPair).join('&');
}

/** A query string without the parameters that `maskQuery` masks. */
export function withoutSecrets(search: string): string {
  return search
    .split('&')
    .filter((pair) => !isSecret(nameOf(pair)))
    .join('&');
}

function maskPair(pair: string): string {
  const name = nameOf(pair);
  return name !== pair && isSecret(name) ? `${name}=***` : pair;
}

const nameOf = (pair: string): string => pair.split('=', 1)[0] ?? '';

function isSecret(name: string): boolean {
  const [decoded = ''] = new URLSearchParams(name).keys();
  return SECRET_PARAMETERS.has(decoded.toLowerCase());
}

/** A path fit for a log: a ticket in it opens a protected item. */
export const maskPath = (path: string): string => path.replace(/\/(?:~|%7e)\d{1,12}\.[^/]*/i, '/~***');

/** Scheme and userinfo (user name and password) in front of an address's host. */
const USERINFO = /^((?:[a-z][a-z\d+.-]*:)?[\\/]*)[^\\/?#]*@/i;

/**
 * A Referer fit for a log, at most `characters` long: without userinfo and fragment, its path and query masked like
 * those of a request.
 */
export function maskReferer(referer: string, characters: number): string {
  const [address = ''] = referer.split('#', 1);
  const kept = address.replace(USERINFO, '$1').slice(0, characters);
  const queryStart = kept.indexOf('?');
  if (queryStart < 0) return maskPath(kept);
  return `${maskPath(kept.slice(0, queryStart))}?${maskQuery(kept.slice(queryStart + 1))}`;
}

/** An address fit to be stored: masked like a Referer, but with its fragment, which may name a place in a page. */
export function maskAddress(address: string): string {
  const fragmentStart = address.indexOf('#');
  const fragment = fragmentStart < 0 ? '' : address.slice(fragmentStart);
  return `${maskReferer(address, address.length)}${fragment}`;
}
