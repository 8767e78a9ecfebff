/** Which methods each address knows, for 405, `Allow` and OPTIONS. */
export interface MethodTable {
  /** Empty where nothing is. HEAD goes wherever GET does. */
  allowedAt(path: string): string[];
}

interface AddressPattern {
  pattern: RegExp;
  methods: Set<string>;
}

interface Route {
  method: string;
  path: string;
}

export function createMethodTable(routes: readonly Route[]): MethodTable {
  const patterns = new Map<string, AddressPattern>();
  for (const { method, path } of routes) {
    const address = path.length > 1 ? path.replace(/\/$/, '') : path;
    const entry = patterns.get(address) ?? { pattern: toPattern(address), methods: new Set(['OPTIONS']) };
    patterns.set(address, entry);
    entry.methods.add(method);
    if (method === 'GET') entry.methods.add('HEAD');
  }
  const byHead = Map.groupBy(patterns, ([address]) => headOf(address));
  const candidates = (path: string) => [...(byHead.get(headOf(path)) ?? []), ...(byHead.get(ANY_HEAD) ?? [])];
  return {
    allowedAt(path) {
      if (!isDecodable(path)) return [];
      // Addresses may overlap: /api/html/x/unlock is a page's address to GET, and item /html/x's form to POST.
      const matching = candidates(path).filter(([, { pattern }]) => pattern.test(path));
      return [...new Set(matching.flatMap(([, { methods }]) => [...methods]))].sort();
    },
  };
}

/** For addresses with a part to be filled in among their first two. */
const ANY_HEAD = '';

/** The first two parts of an address: there are many addresses, and few with the same. */
function headOf(address: string): string {
  const [, first = '', second = ''] = address.split('/', 3);
  return first.startsWith(':') || second.startsWith(':') ? ANY_HEAD : `${first}/${second}`;
}

/** The router decodes the parts of a path; what it cannot decode names nothing. */
function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function toPattern(path: string): RegExp {
  const source = path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.+' : escapePattern(segment)))
    .join('/');
  return new RegExp(path === '/' ? '^/$' : `^${source}/?$`);
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
