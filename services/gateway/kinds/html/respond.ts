import { LRUCache } from 'lru-cache';
import { etagOf } from '../../../../shared/items/etag.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import { CORS_HEADERS } from '../../http/common-headers.ts';
import { matchesEtag } from '../../http/conditional.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { contentHeaders } from '../../items/content-headers.ts';
import { pagePolicy } from '../../items/content-policy.ts';
import type { RenderedPages, Variant } from '../../items/rendered-pages.ts';
import type { WholeBodies } from '../../items/whole-bodies.ts';

type HtmlRecord = ItemRecordOf<'html'>;

export interface PageResponder {
  /** The answer to a read that has been allowed; `views` goes into its X-Views. */
  respond(context: RequestContext, record: HtmlRecord, how: Presentation, views: number): Promise<Response>;
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

export function createPageResponder(pages: RenderedPages, options: ResponderOptions): PageResponder {
  // The headers of a page are the same for every read of one version of it; a response copies them faster from
  // `Headers` than from a record.
  const headersOf = new LRUCache<string, Headers>({ max: 4096 });

  const headersFor = (record: HtmlRecord, variant: Variant, how: Presentation): Headers => {
    const { download, ownOrigin } = how;
    const key = `${record.namespace}/${record.id} ${record.version} ${variant} ${download} ${ownOrigin}`;
    const known = headersOf.get(key);
    if (known !== undefined) return known;
    const headers = new Headers(pageHeaders(record, variant, how, options));
    headersOf.set(key, headers);
    return headers;
  };

  return {
    async respond(context, record, how, views) {
      const variant = variantOf(record, how.raw || how.download, options.showTopBarDefault);
      const fixed = headersFor(record, variant, how);
      const ifNoneMatch = context.request.headers.get('if-none-match');
      const unchanged = ifNoneMatch !== null && matchesEtag(ifNoneMatch, fixed.get('ETag') ?? '');
      const response = unchanged
        ? new Response(null, { status: 304, headers: fixed })
        : new Response(options.bodies.of(context, await pages.bytes(record, variant)), { headers: fixed });
      response.headers.set('X-Views', String(views));
      return response;
    },
  };
}

/** A view also shows the title, which changes with the page's version where its content does not. */
const viewTag = ({ version }: HtmlRecord, variant: Variant): string =>
  `-${variant}${VIEW_GENERATION}-${version.toString(36)}`;

const showsTopBar = (record: HtmlRecord, byDefault: boolean): boolean =>
  record.content.showTopBar ?? byDefault;

function variantOf(record: HtmlRecord, raw: boolean, byDefault: boolean): Variant {
  if (raw) return 'raw';
  return showsTopBar(record, byDefault) ? 'bar' : 'view';
}

function pageHeaders(
  record: HtmlRecord,
  variant: Variant,
  { download, ownOrigin }: Presentation,
  options: ResponderOptions,
): Record<string, string> {
  const { content, id } = record;
  return {
    ...CORS_HEADERS,
    ...contentHeaders(record),
    'Content-Type': variant === 'raw' ? content.contentType : 'text/html; charset=utf-8',
    'Content-Security-Policy': pagePolicy(record, variant, options.separateHost && ownOrigin),
    ETag: `"${etagOf(content)}${variant === 'raw' ? '' : viewTag(record, variant)}"`,
    'X-Show-Top-Bar': String(showsTopBar(record, options.showTopBarDefault)),
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
