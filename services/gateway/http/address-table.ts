import { type Surface, surfaceOfUnknown } from './surface.ts';

/** The endpoints at one address: its methods for 405, `Allow` and OPTIONS, and how requests are treated. */
export interface Address {
  /** Sorted, empty where nothing is. HEAD goes wherever GET does. Without those of `upload`. */
  methods: string[];
  /** Methods of the address without the slash at its end, to which nothing is here: see `withoutChanges`. */
  absent: ReadonlySet<string>;
  /** Whether a file that is put here is published (surface `upload`). */
  takesUploads: boolean;
  /** The surface of the endpoint that a method asks for; of another one of this address for a method that it does not have. */
  surfaceFor(method: string): Surface;
}

export interface AddressTable {
  find(path: string): Address;
}

/** A declared endpoint, its path in Elysia's form. */
export interface DeclaredRoute {
  method: string;
  path: string;
  surface: Surface;
}

interface Entry {
  pattern: RegExp;
  /** Whether it has a part that no name of the service can be: the namespace of an item of any kind, or a file's name. */
  hasName: boolean;
  /** Its endpoints, and those of the address with a slash behind it. */
  routes: DeclaredRoute[];
  routesWithSlash: DeclaredRoute[];
}

/**
 * @param isFree whether a name is none that the service keeps for itself: no item and no file is at such an address
 */
export function createAddressTable(
  declared: readonly DeclaredRoute[],
  isFree: (name: string) => boolean = () => true,
): AddressTable {
  const byHead = new Map<string, Entry[]>();
  /** Addresses without a part to be filled in, which most requests of the API ask for. */
  const fixed = new Map<string, Address>();
  for (const [path, routes] of Map.groupBy(declared, (route) => withoutSlash(route.path))) {
    if (!/[:*]/.test(path)) {
      const address = addressWith(path, routes);
      fixed.set(path, address);
      if (path !== '/') fixed.set(`${path}/`, address);
      continue;
    }
    const entry = {
      pattern: toPattern(path),
      hasName: path.startsWith('/api/:ns/') || path === '/:filename',
      routes,
      routesWithSlash: withoutChanges(path, routes),
    };
    byHead.set(headOf(path), [...(byHead.get(headOf(path)) ?? []), entry]);
  }
  const anywhere = byHead.get(ANY_HEAD) ?? [];
  for (const [head, entries] of byHead) if (head !== ANY_HEAD) byHead.set(head, [...entries, ...anywhere]);
  return {
    find(path) {
      // An address of its own is no item's.
      const known = fixed.get(path);
      if (known !== undefined) return known;
      const candidates = isDecodable(path) ? (byHead.get(headOf(path)) ?? anywhere) : [];
      const matching = candidates.filter(
        ({ pattern, hasName }) =>
          pattern.test(path) && (!hasName || isFree(decodeURIComponent(nameIn(path)))),
      );
      // They may overlap: /api/html/x/unlock is a page's address to GET, and item /html/x's form to POST.
      const routes = matching.flatMap((entry) => entry.routes);
      if (!path.endsWith('/')) return addressWith(path, routes);
      const left = matching.flatMap((entry) => entry.routesWithSlash);
      const absent = new Set(routes.filter((route) => !left.includes(route)).map(({ method }) => method));
      return addressWith(path, left, absent);
    },
  };
}

const NO_METHODS: ReadonlySet<string> = new Set();

function addressWith(path: string, all: DeclaredRoute[], absent = NO_METHODS): Address {
  const routes = all.filter(({ surface }) => surface !== 'upload');
  let methods: string[] | undefined;
  return {
    absent,
    takesUploads: all.length > routes.length,
    get methods() {
      methods ??= routes.length === 0 ? [] : methodsOf(routes);
      return methods;
    },
    surfaceFor(method) {
      const asked = method === 'HEAD' ? 'GET' : method;
      const route = all.find((one) => one.method === asked) ?? routes[0];
      if (route !== undefined) return route.surface;
      return asked === 'PUT' && isBrokenName(path) ? 'upload' : surfaceOfUnknown(path);
    },
  };
}

/** The namespace in the address of an item in the API, or the name of a file at the root. */
const nameIn = (path: string): string => {
  const [, first = '', second = ''] = path.split('/', 3);
  return first === 'api' && second !== '' ? second : first;
};

const withoutSlash = (path: string): string => (path.length > 1 ? path.replace(/\/$/, '') : path);

const CHANGES = new Set(['PUT', 'PATCH', 'DELETE']);

/**
 * Clients take `.` and an empty name out of a path: `DELETE /api/kv/ns/id/.` arrives as `/api/kv/ns/id/`, and must not remove the
 * store.
 */
const withoutChanges = (path: string, routes: DeclaredRoute[]): DeclaredRoute[] =>
  /^\/api\/.*\/(?::\w+|\*)$/.test(path) ? routes.filter(({ method }) => !CHANGES.has(method)) : routes;

function methodsOf(routes: DeclaredRoute[]): string[] {
  const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...new Set(['OPTIONS', ...methods])].sort();
}

/** Head of addresses with a part to be filled in among their first two. */
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

/** Whether it is an address at which a file could be put, if its name could be decoded. */
const isBrokenName = (path: string): boolean => /^\/[^/]+\/?$/.test(path) && !isDecodable(path);

function toPattern(path: string): RegExp {
  const source = path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment === '*' ? '.+' : RegExp.escape(segment)))
    .join('/');
  return new RegExp(`^${source}/?$`);
}
