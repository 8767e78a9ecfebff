/** Query parameters that open an item. */
const OPENING = new Set(['p', 'token', 'password', 'ticket']);

/** A query string without the parameters that open an item. */
export function withoutSecrets(search: string): string {
  return search
    .split('&')
    .filter((pair) => !isOpening(pair.split('=', 1)[0] ?? ''))
    .join('&');
}

function isOpening(name: string): boolean {
  const [decoded = ''] = new URLSearchParams(name).keys();
  return OPENING.has(decoded.toLowerCase());
}

/** Names of parameters whose values are secrets, of this service and of others whose addresses people pass on. */
const SECRET_NAME = /token|pass|secret|^\s*(?:p|ticket)\s*$/i;

/** A text without any of these holds no secret. Most queries are one, and are looked at no further. */
const MAY_HOLD_SECRETS = /[%@]|token|pass|secret|ticket|(?:^|[?&;#])[\s+]*p[\s+]*=/i;

/** Characters between the names and values of an address. */
const DELIMITERS = /([?&;#=/])/;

/** The user and password of an address within a text. */
const INNER_USERINFO = /:\/\/[^/?#@\s]*@/g;

/** Encodings within one another that are undone; nobody nests addresses as deep by chance. */
const DEEPEST = 5;

/**
 * A query string, or a part of one, fit for a log: the value of each parameter whose name says that it is secret is
 * masked (specification 18.3). A name counts also where it is percent-encoded, however often, and in an address that is
 * itself a value.
 */
export const maskQuery = (search: string): string => maskText(search, 0);

function maskText(text: string, depth: number): string {
  if (!MAY_HOLD_SECRETS.test(text)) return text;
  const parts = text.replace(INNER_USERINFO, '://***@').split(DELIMITERS);
  let masked = '';
  let isHidden = false;
  // Parts and delimiters take turns; a secret ends with its parameter, whatever else is in it.
  for (let n = 0; n < parts.length; n += 2) {
    const [part = '', delimiter = ''] = parts.slice(n, n + 2);
    const isSecret: boolean = !isHidden && delimiter === '=' && SECRET_NAME.test(decodeWholly(part));
    if (!isHidden) masked += isSecret ? `${part}=***` : `${maskEncoded(part, depth)}${delimiter}`;
    isHidden ||= isSecret;
    if (!isHidden || !ENDS.has(delimiter)) continue;
    masked += delimiter;
    isHidden = false;
  }
  return masked;
}

/** Characters that end a parameter. */
const ENDS = new Set(['&', ';', '#']);

/** Masks a text that is percent-encoded. Without a secret in it, it stays as it was, else it is encoded anew. */
function maskEncoded(text: string, depth: number): string {
  const decoded = decode(text);
  if (decoded === text) return text;
  if (depth === DEEPEST) return '***';
  const masked = maskText(decoded, depth + 1);
  return masked === decoded ? text : encode(masked);
}

/** A path fit for a log: a ticket in it opens a protected item, and an address in it may have secrets. */
export function maskPath(path: string): string {
  if (!/[~%=]/.test(path)) return path;
  return path
    .split('/')
    .map((segment) => (TICKET.test(decodeWholly(segment)) ? '~***' : maskText(segment, 0)))
    .join('/');
}

const TICKET = /^~\d{1,12}\./;

/** Percent-decoded to bytes, one a character: names that tell a secret are ASCII, and nothing is ever malformed. */
const decode = (text: string): string =>
  text.includes('%')
    ? text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;

const encode = (bytes: string): string =>
  bytes.replace(/[^\w.~*-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

function decodeWholly(text: string): string {
  let decoded = text;
  for (let depth = 0; depth <= DEEPEST; depth++) decoded = decode(decoded);
  return decoded;
}

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

/** An address fit to be stored: masked like a Referer, and with its fragment, which may name a place in a page. */
export function maskAddress(address: string): string {
  const fragmentStart = address.indexOf('#');
  const fragment = fragmentStart < 0 ? '' : address.slice(fragmentStart);
  return `${maskReferer(address, address.length)}${maskQuery(fragment)}`;
}
