import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../../shared/clock.ts';
import { etagOf, viewEtagOf } from '../../../../shared/items/etag.ts';
import { type ItemRecordOf, isKind, isLive } from '../../../../shared/items/item-record.ts';
import { shownProof, type UnlockCookies } from '../../auth/unlock-proofs.ts';
import { CORS_HEADERS } from '../../http/common-headers.ts';
import { datedUntil, dateKept } from '../../http/conditional.ts';
import { type Coding, codingFor, heldTag, tagOfForm } from '../../http/content-coding.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import { isSet } from '../../http/parameters.ts';
import { isPageNavigation } from '../../http/preferred-type.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type ContentOrigin, contentHeaders, contentOriginOf } from '../../items/content-headers.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import type { ItemRead } from '../../items/resolve-short-url.ts';
import type { ResponseBodies } from '../../items/response-bodies.ts';
import { wantsEvents } from '../../live/follow-request.ts';
import { accessRules, type Snapshot, type Topic } from '../../live/topic.ts';
import { pagePolicy } from '../../rendered-pages/page-policy.ts';
import {
  liveVersion,
  placeOf,
  type RenderedPages,
  type Variant,
} from '../../rendered-pages/rendered-pages.ts';

type HtmlRecord = ItemRecordOf<'html'>;

export interface HtmlResponder {
  /** The answer to a read that has been allowed; `views` goes into its X-Views. */
  respond(
    context: RequestContext,
    record: HtmlRecord,
    presentation: Presentation,
    views: number,
  ): Promise<Response>;
}

export interface Presentation {
  /** Asks for the page as stored, with its original type, without the page around it. */
  raw: boolean;
  /** Asks for a download of what was stored. */
  download: boolean;
  /** Which origin it runs with. */
  origin: ContentOrigin;
}

interface ResponderOptions {
  bodies: ResponseBodies;
  clock: Clock;
  showTopBarDefault: boolean;
}

/** Grows when rendering changes, so that browsers fetch views again. */
const VIEW_GENERATION = 8;

const EXTENSIONS = { HTML: 'html', MARKDOWN: 'md', TEXT: 'txt' } as const;

export function createHtmlResponder(pages: RenderedPages, options: ResponderOptions): HtmlResponder {
  // The headers of a page are the same for every read of one version of it; a response copies them faster from
  // `Headers` than from a record.
  const headersOf = new LRUCache<string, Headers>({ max: 4096 });

  const headersFor = (
    record: HtmlRecord,
    variant: Variant,
    presentation: Presentation,
    coding: Coding | null,
    now: number,
  ): Headers => {
    const { download, origin } = presentation;
    const key = `${record.namespace}/${record.id} ${record.version} ${variant} ${download} ${origin} ${coding}`;
    let headers = headersOf.get(key);
    if (headers === undefined) {
      headers = new Headers(pageHeaders(record, variant, presentation, options));
      if (coding !== null) {
        headers.set('ETag', tagOfForm(headers.get('ETag') ?? '', coding));
        headers.set('Content-Encoding', coding);
      }
      headersOf.set(key, headers);
    }
    if (isDated(variant)) dateKept(headers, record.updatedAt, now);
    return headers;
  };

  return {
    async respond(context, record, presentation, views) {
      const variant = variantOf(record, presentation.raw || presentation.download, options.showTopBarDefault);
      const { headers } = context.request;
      if (headers.has('if-none-match')) {
        const plain = headersFor(record, variant, presentation, null, options.clock.now());
        const held = heldTag(headers, plain.get('ETag') ?? '');
        if (held !== null) return unchanged(plain, held, views);
      }
      const { bytes, coding, isFinal } = await pages.page(
        record,
        variant,
        codingFor(headers),
        placeOf(context),
      );
      const body = options.bodies.of(context, bytes);
      const now = options.clock.now();
      const response = new Response(body, {
        headers: headersFor(record, variant, presentation, coding, now),
      });
      response.headers.set('X-Views', String(views));
      if (isFinal && PLAIN_QUERIES.has(context.search) && !context.isHead) {
        const until = isDated(variant) ? datedUntil(record.updatedAt, now) : Number.POSITIVE_INFINITY;
        context.plainAnswer = { record, entry: null, body: bytes, until };
      }
      return response;
    },
  };
}

/** Queries of plain reads: of a page as it is shown, and of its stored bytes. */
const PLAIN_QUERIES: ReadonlySet<string> = new Set(['', 'raw=true', 'raw=1']);

/** 304 with the ETag under which the client has the page. */
function unchanged(headers: Headers, etag: string, views: number): Response {
  const response = new Response(null, { status: 304, headers });
  response.headers.set('ETag', etag);
  response.headers.set('X-Views', String(views));
  return response;
}

const entityTagOf = ({ content, version }: HtmlRecord, variant: Variant): string =>
  variant === 'raw' ? etagOf(content) : viewEtagOf(content, `${variant}${VIEW_GENERATION}`, version);

/** The top bar shows the expiry, which a renewal changes: only its ETag tells whether a page with it is the same. */
const isDated = (variant: Variant): boolean => variant !== 'bar';

const showsTopBar = (record: HtmlRecord, byDefault: boolean): boolean =>
  record.content.showTopBar ?? byDefault;

function variantOf(record: HtmlRecord, raw: boolean, byDefault: boolean): Variant {
  if (raw) return 'raw';
  return showsTopBar(record, byDefault) ? 'bar' : 'view';
}

function pageHeaders(
  record: HtmlRecord,
  variant: Variant,
  { download, origin }: Presentation,
  options: ResponderOptions,
): Record<string, string> {
  const { content, id } = record;
  return {
    ...CORS_HEADERS,
    ...contentHeaders(record),
    'Content-Type': variant === 'raw' ? content.contentType : 'text/html; charset=utf-8',
    ...pagePolicy(record, variant, origin),
    ETag: `"${entityTagOf(record, variant)}"`,
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

type LiveDependencies = Pick<ReadDependencies, 'lookup' | 'clock' | 'live'> & { cookies: UnlockCookies };

/**
 * Answers a read at the short URL of a page (specification 9.1).
 * @param separateHost whether uploaded content has a host of its own
 */
export async function answerHtmlShortUrl(
  deps: LiveDependencies,
  responder: HtmlResponder,
  separateHost: boolean,
  { context, record, views }: ItemRead<'html'>,
): Promise<Response> {
  const query = context.search === '' ? null : context.query();
  const presentation: Presentation = {
    raw: query !== null && isSet(query, 'raw'),
    download: query !== null && isSet(query, 'dl'),
    origin: contentOriginOf(context, separateHost),
  };
  return answerLive(deps, context, record) ?? (await responder.respond(context, record, presentation, views));
}

/**
 * Answers requests of the live reload of a page, `?live=1` (specification 4.9); `null`: serve the page. A client that asks for
 * events gets one per version. A person who has opened a protected page is redirected to an address with a ticket, because the
 * page's opaque origin sends no cookies.
 */
function answerLive(deps: LiveDependencies, context: RequestContext, record: HtmlRecord): Response | null {
  if (context.search === '' || !isSet(context.query(), 'live')) return null;
  if (wantsEvents(context)) return deps.live.stream(context, topicOf(deps, record), stateOf(record));
  if (record.passwordHash === null || !isPageNavigation(context.request)) return null;
  const query = new URLSearchParams(context.query());
  if (query.has('p') || query.has('ticket')) return null;
  query.set('ticket', deps.cookies.ticket(record, shownProof(context)));
  const headers = { Location: `${context.path}?${query}`, 'Cache-Control': 'private, no-store' };
  return new Response(null, { status: 302, headers });
}

const topicOf = ({ lookup, clock }: LiveDependencies, { namespace, id }: HtmlRecord): Topic => ({
  item: { namespace, id },
  key: null,
  async read(context) {
    const { record } = await lookup.find({ namespace, id }, context);
    return isLive(record, clock.now()) && isKind(record, 'html') ? stateOf(record) : null;
  },
});

const stateOf = (record: HtmlRecord): Snapshot => ({
  order: record.version,
  // A renewal makes a new version of the record, but not of the page.
  id: liveVersion(record),
  state: liveVersion(record),
  data: JSON.stringify({ updatedAt: new Date(record.updatedAt).toISOString() }),
  ...accessRules(record),
});
