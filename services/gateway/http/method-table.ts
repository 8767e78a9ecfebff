/** Which methods each address knows, for 405, `Allow` and OPTIONS. */
export interface MethodTable {
  /** Empty where nothing is. HEAD goes wherever GET does. */
  allowedAt(path: string): string[];
}

interface AddressPattern {
  pattern: RegExp;
  /** Sorted. */
  methods: string[];
}

interface Route {
  method: string;
  path: string;
}

export function createMethodTable(routes: readonly Route[]): MethodTable {
  const methodsOf = new Map<string, string[]>();
  for (const { method, path } of routes) {
    const address = path.length > 1 ? path.replace(/\/$/, '') : path;
    const known = methodsOf.get(address) ?? ['OPTIONS'];
    methodsOf.set(address, [...known, method, ...(method === 'GET' ? ['HEAD'] : [])]);
  }
  const byHead = new Map<string, AddressPattern[]>();
  for (const [address, methods] of methodsOf) {
    const entry = { pattern: toPattern(address), methods: sorted(methods) };
    byHead.set(headOf(address), [...(byHead.get(headOf(address)) ?? []), entry]);
  }
  const anywhere = byHead.get(ANY_HEAD) ?? [];
  for (const [head, entries] of byHead) if (head !== ANY_HEAD) byHead.set(head, [...entries, ...anywhere]);
  return {
    allowedAt(path) {
      if (!isDecodable(path)) return [];
      const candidates = byHead.get(headOf(path)) ?? anywhere;
      const [first, ...others] = candidates.filter(({ pattern }) => pattern.test(path));
      if (first === undefined || others.length === 0) return first?.methods ?? [];
      // Addresses may overlap: /api/html/x/unlock is a page's address to GET, and item /html/x's form to POST.
      return sorted([first, ...others].flatMap(({ methods }) => methods));
    },
  };
}

const sorted = (methods: string[]): string[] => [...new Set(methods)].sort();

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
