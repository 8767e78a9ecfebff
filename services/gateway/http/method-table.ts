/** Which methods each address knows, for 405, `Allow` and OPTIONS. */
export interface MethodTable {
  /** Empty where nothing is. HEAD goes wherever GET does. */
  allowedAt(path: string): string[];
}

interface Route {
  method: string;
  path: string;
}

export function createMethodTable(routes: readonly Route[]): MethodTable {
  const patterns = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  for (const { method, path } of routes) {
    const address = path.length > 1 ? path.replace(/\/$/, '') : path;
    const entry = patterns.get(address) ?? { pattern: toPattern(address), methods: new Set(['OPTIONS']) };
    patterns.set(address, entry);
    entry.methods.add(method);
    if (method === 'GET') entry.methods.add('HEAD');
  }
  return {
    allowedAt(path) {
      if (!isDecodable(path)) return [];
      // Addresses may overlap: /api/html/x/unlock is a page's address to GET, and item /html/x's form to POST.
      const matching = Array.from(patterns.values()).filter(({ pattern }) => pattern.test(path));
      return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
    },
  };
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
