import { LRUCache } from 'lru-cache';
import { etagOf } from '../../../../shared/items/etag.ts';
import type { RouteOf } from '../../../../shared/items/route.ts';
import { CORS_HEADERS } from '../../http/common-headers.ts';
import { matchesEtag } from '../../http/conditional.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import type { Exchange } from '../../http/request-context.ts';
import { contentHeaders } from '../../items/content-headers.ts';
import { pagePolicy } from '../../items/content-policy.ts';
import type { PageViews, Variant } from '../../items/rendered-pages.ts';
import type { WholeBodies } from '../../items/whole-bodies.ts';

type PageRoute = RouteOf<'html'>;

export interface PageResponder {
  /** The answer to a read that has been allowed; `views` goes into its X-Views. */
  respond(exchange: Exchange, route: PageRoute, how: Presentation, views: number): Promise<Response>;
}

export interface Presentation {
  /** As stored, with its original type, without the page around it. */
  raw: boolean;
  /** As a download of what was stored. */
  download: boolean;
  /** Whether a page on a host of its own may keep that host's origin: see `tellsDestination`. */
  ownOrigin: boolean;
}

interface ResponderOptions {
  bodies: WholeBodies;
  showTopBarDefault: boolean;
  separateHost: boolean;
}

/** Grows when rendering changes, so that browsers fetch views again. */
const VIEW_GENERATION = 3;

const EXTENSIONS = { HTML: 'html', MARKDOWN: 'md', TEXT: 'txt' } as const;

export function createPageResponder(pages: PageViews, options: ResponderOptions): PageResponder {
  // The headers of a page are the same for every read of one version of it; a response copies them faster from
  // `Headers` than from a record.
  const headersOf = new LRUCache<string, Headers>({ max: 4096 });

  const headersFor = (route: PageRoute, variant: Variant, how: Presentation): Headers => {
    const { download, ownOrigin } = how;
    const key = `${route.namespace}/${route.id} ${route.version} ${variant} ${download} ${ownOrigin}`;
    const known = headersOf.get(key);
    if (known !== undefined) return known;
    const headers = new Headers(pageHeaders(route, variant, how, options));
    headersOf.set(key, headers);
    return headers;
  };

  return {
    async respond(exchange, route, how, views) {
      const variant = variantOf(route, how.raw || how.download, options.showTopBarDefault);
      const fixed = headersFor(route, variant, how);
      const ifNoneMatch = exchange.request.headers.get('if-none-match');
      const unchanged = ifNoneMatch !== null && matchesEtag(ifNoneMatch, fixed.get('ETag') ?? '');
      const response = unchanged
        ? new Response(null, { status: 304, headers: fixed })
        : new Response(options.bodies.of(exchange, await pages.bytes(route, variant)), { headers: fixed });
      response.headers.set('X-Views', String(views));
      return response;
    },
  };
}

/** A view also shows the title, which changes with the page's version where its content does not. */
const viewTag = ({ version }: PageRoute, variant: Variant): string =>
  `-${variant}${VIEW_GENERATION}-${version.toString(36)}`;

const showsTopBar = (route: PageRoute, byDefault: boolean): boolean => route.content.showTopBar ?? byDefault;

function variantOf(route: PageRoute, raw: boolean, byDefault: boolean): Variant {
  if (raw) return 'raw';
  return showsTopBar(route, byDefault) ? 'bar' : 'view';
}

function pageHeaders(
  route: PageRoute,
  variant: Variant,
  { download, ownOrigin }: Presentation,
  options: ResponderOptions,
): Record<string, string> {
  const { content, id } = route;
  return {
    ...CORS_HEADERS,
    ...contentHeaders(route),
    'Content-Type': variant === 'raw' ? content.contentType : 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy(route, variant, options.separateHost && ownOrigin),
    ETag: `"${etagOf(content)}${variant === 'raw' ? '' : viewTag(route, variant)}"`,
    'X-Show-Top-Bar': String(showsTopBar(route, options.showTopBarDefault)),
    ...(download
      ? {
          'Content-Disposition': contentDisposition(
            'attachment',
            content.filename ?? `${id}.${EXTENSIONS[content.format]}`,
          ),
        }
      : {}),
  };
}
