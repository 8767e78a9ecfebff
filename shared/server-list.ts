/** Where one or several servers of a kind are, as a setting names them. */
export interface ServerList {
  /** Protocol with its colon, as in `nats:`. */
  protocol: string;
  /** Percent-encoded; empty where none is given. */
  username: string;
  password: string;
  servers: ServerAddress[];
  /** All behind the first slash that follows the servers. */
  path: string;
  query: URLSearchParams;
}

export interface ServerAddress {
  /** IPv6 without brackets. */
  host: string;
  /** `null`: the usual one of its kind. */
  port: number | null;
}

/**
 * Reads `scheme://user:password@host:port,host:port/path?query`, the form that libpq and MongoDB have for several servers. The
 * scheme may stand before each of them, too, as NATS has it; user and password are those of the first.
 * @returns `null` for what is no such address
 */
export function parseServerList(text: string): ServerList | null {
  const protocol = schemeOf(text);
  const rest = text.slice(protocol.length + 2);
  if (protocol === '' || rest === '') return null;
  const list = rest.replaceAll(`,${protocol}//`, ',');
  const end = list.search(/[/?#]/);
  const names = (end < 0 ? list : list.slice(0, end)).split(',');
  const tail = end < 0 ? '' : list.slice(end);
  const urls = names.map((name) => parse(`tcp://${name}`));
  const [first] = urls;
  if (first === undefined || first === null) return null;
  const servers: ServerAddress[] = [];
  for (const url of urls) {
    if (url === null || url.hostname === '') return null;
    servers.push({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? null : Number(url.port),
    });
  }
  const { pathname, searchParams } = new URL(`tcp://servers${tail}`);
  const { username, password } = first;
  if (![username, password, pathname].every(isPercentEncoded)) return null;
  return { protocol, username, password, servers, path: pathname.slice(1), query: searchParams };
}

/** The scheme of an address, with its colon and in small letters; empty where no two slashes follow one. */
export const schemeOf = (text: string): string =>
  /^[a-z][a-z+]*:(?=\/\/)/i.exec(text)?.[0].toLowerCase() ?? '';

const parse = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
