import type { PathItem } from '../../services/gateway/openapi/operation.ts';
import { WRITTEN } from './schemas.ts';

interface Route {
  template: string;
  item: PathItem;
  pattern: RegExp;
  /** One character a segment, that sorts fixed ones before those that take anything. */
  rank: string;
}

/** Names that are no namespace: below them only what is documented as such exists (specification 2.3). */
const RESERVED =
  /^\/(?:api|docs|assets|gallery|stats|admin|mcp|health|metrics|sitemap|robots|swagger|static|preview|preview-html|reports?|mine|manage)(?:\/|$)/;

/** A short URL's namespace and id, decoded; what has another form is no short URL. */
const SHORT_URL = /^\/[a-z0-9-]{3,32}\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}(?:\.qr\.(?:svg|png))?(?:\/|$)/;

/** The slash at the end takes it for an item of a kind, of which it lacks the id. */
const LACKS_ID = /^\/api\/(?:html|kv|json|files|sites)\/[^/]+\/$/;

const paths: Record<string, PathItem> = WRITTEN.paths;
const routes = Object.entries(paths)
  .map(([template, item]) => toRoute(template, item))
  .sort((a, b) => (a.rank < b.rank ? -1 : 1));

/** The documented path that an address belongs to; `null` when it is none. The address has no query. */
export function routeOf(path: string, method = 'GET'): Pick<Route, 'template' | 'item'> | null {
  return (
    routes.find(({ template, pattern }) => {
      if (!pattern.test(path)) return false;
      // Addresses where files are put are unknown to every other method.
      if (template === '/{key}.txt') return method === 'GET' || method === 'HEAD';
      if (template === '/{filename}') return method === 'PUT' && !RESERVED.test(path);
      // A key of that name is written and removed as any other.
      if (template === '/api/kv/{ns}/{id}/hosting') return method !== 'PUT' && method !== 'DELETE';
      if (template.startsWith('/api/{ns}/'))
        return !RESERVED.test(path.slice('/api'.length)) && !LACKS_ID.test(path);
      return !template.startsWith('/{') || isShortUrl(path);
    }) ?? null
  );
}

function isShortUrl(path: string): boolean {
  const [, namespace = '', id = ''] = path.split('/').map(decoded);
  const address = `/${namespace}/${id}`;
  return SHORT_URL.test(address) && !RESERVED.test(address);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function toRoute(template: string, item: PathItem): Route {
  const segments = template.split('/').slice(1);
  const sources = segments.map((segment) => {
    if (segment === '{key}.txt') return '[A-Za-z0-9-]{1,128}\\.txt';
    if (!segment.startsWith('{')) return RegExp.escape(segment);
    return segment === '{sub}' || segment === '{filePath}' ? '.+' : '[^/]+';
  });
  return {
    template,
    item,
    pattern: new RegExp(template === '/' ? '^/$' : `^/${sources.join('/')}/?$`),
    rank: segments.map((segment) => (segment.startsWith('{') ? '1' : '0')).join(''),
  };
}
