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
      for (const { pattern, methods } of patterns.values())
        if (pattern.test(path)) return [...methods].sort();
      return [];
    },
  };
}

function toPattern(path: string): RegExp {
  const source = path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.+' : escapePattern(segment)))
    .join('/');
  return new RegExp(`^${source}/?$`);
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
