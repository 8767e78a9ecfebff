import { AsyncLocalStorage } from 'node:async_hooks';
import { Elysia } from 'elysia';
import type { CallContext } from '../../../shared/call-context.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { newRequestId } from '../../../shared/ids.ts';
import type { ItemRef, Kind } from '../../../shared/items/item.ts';
import { type AddressBook, type Connection, clientAddress, clientKey } from './client.ts';
import type { FastPathRead, FastPathWrite, PlainAnswer } from './fast-path.ts';
import { type AddressSettings, baseUrlOf, type ItemHost } from './hosts.ts';
import { type Language, languageOf } from './language.ts';

/** Longest time a request may take in all, its body's arrival aside, in ms. */
const REQUEST_LIMIT_MS = 15_000;

/** The client's use of a rate limit, for the RateLimit-* headers of every answer. */
export interface RateHeaders {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** An item's address and kind. */
export interface RequestItem extends ItemRef {
  kind: Kind;
}

/** One request on its way through the gateway, with what the layers learn about it. */
export class RequestContext {
  readonly request: Request;
  readonly requestId = newRequestId();
  /** GET also for a HEAD request: its answer is a GET's without the body. */
  readonly method: string;
  readonly isHead: boolean;
  /**
   * Whether the request names one host; others are refused (RFC 9112, section 3.2). Where the Host header is missing or
   * names none, Bun's `url` is not a valid URL; where it comes twice, Bun joins both by a comma and uses the first.
   */
  readonly hasHost: boolean;
  /** Path as received: percent-encoded, without the query. */
  readonly path: string;
  /** Query as received, without the question mark. */
  readonly search: string;
  readonly clientIp: string;
  /** The client's key in limits and budgets: see `clientKey`. */
  readonly clientKey: string;
  /** `performance.now()` at arrival. */
  readonly startedAt: number;
  /** Arrival, in ms since the epoch. */
  readonly arrivedAt: number;
  /** The part of this request that the fast path for reads has done; `null`: none. */
  readonly fastPathRead: FastPathRead | null;
  /** Its visit, until somebody answers for the view that was counted (`items/early-visit.ts`). */
  earlyVisit: Pick<FastPathRead, 'item' | 'visit'> | null;
  /** The part of this request that the fast path for writes of keys has done; `null`: none. */
  readonly fastPathWrite: FastPathWrite | null;
  /** Goes along with calls to the services; nobody waits for their answers after its deadline. */
  readonly callContext: CallContext;
  rateHeaders: RateHeaders | null = null;
  /** The item that the request is about, for the access log; `null` until it is found or created. */
  item: RequestItem | null = null;
  /** The short code of the item whose view this request has counted; `null`: it has counted none. */
  viewed: string | null = null;
  /** The type of the body: that of its header, unless an endpoint knows better, such as by a file's name. */
  contentType: string | null;
  /** Whether a create without an Accept preference is answered with the URL as text, as people at a shell want it. */
  answersInText = false;
  /** The types of bodies that this create takes, for its errors; `null` for a request that is no create. */
  supportedTypes: readonly string[] | null = null;
  /** The answer that the fast path may give to further reads of this address (`hot-reads/`); `null`: there is none. */
  plainAnswer: PlainAnswer | null = null;
  /** Whether the request has set a key by PUT: the fast path for puts keeps the headers of its answer (`kinds/kv/hot-puts/`). */
  hasSetKey = false;
  /** The request's slot among those under way; `null` for an internal request. */
  slot: { release(): void } | null = null;
  /** The client's connection; `null` for an internal request, such as an MCP tool call. */
  connection: Connection | null = null;
  /** How long the request has waited because its client asked for that (`?wait=`), in ms. */
  waitedMs = 0;
  /** Status for logs and metrics where it differs from the response's; `null`: it does not. */
  loggedStatus: number | null = null;
  /** Whether the access log leaves the request out: a look of the console, which follows the log, would fill it. */
  isUnlogged = false;
  /** The hash of the request's owner token, `null` without one; `undefined` until somebody asks (`isOwner`). */
  tokenHash: string | null | undefined = undefined;
  /** Whether the request came to the separate host of hosted pages (CONTENT_BASE_URL). */
  onContentHost = false;
  /** The item's own host that the request came to: all paths there are the item's. `null` on other hosts. */
  itemHost: ItemHost | null = null;
  /** Whether the request already counts against the read limit (looking up the domain in Host does). */
  isReadCounted = false;
  /** Whether the Host of the request is a name that an owner can have as a domain, and not one of the service's own. */
  isAtForeignName = false;
  /** The origin of the item's own domain, where the reader returns after the password form; `null` for a reader from elsewhere. */
  formsLeadTo: string | null = null;
  /** Code and password hash of the item that a one-time ticket opened; `null`: no ticket did. */
  openedByTicket: string | null = null;
  /** Whether to send Clear-Site-Data: no item is at the request's host, or none that may be read. */
  clearsSiteData = false;
  /** Whether a browser gets errors of this request as pages: see `SURFACES`. */
  hasErrorPages = true;
  /** Whether scripts of any origin may read the answer (CORS). */
  isOpenToOrigins = true;
  private readonly settings: AddressSettings;
  private madeBaseUrl: string | null = null;
  private parsedQuery: URLSearchParams | null = null;
  private atEnd: Array<() => void> | null = null;

  /** @param earlier what a fast path has done for the request, and left to the normal one */
  constructor(
    request: Request,
    server: AddressBook,
    settings: AddressSettings,
    earlier?: FastPathRead | FastPathWrite,
  ) {
    const { url, method } = request;
    this.fastPathRead = earlier !== undefined && 'visit' in earlier ? earlier : null;
    this.earlyVisit = this.fastPathRead;
    this.fastPathWrite = earlier !== undefined && 'body' in earlier ? earlier : null;
    this.startedAt = earlier?.startedAt ?? performance.now();
    this.arrivedAt = earlier?.arrivedAt ?? Date.now();
    this.settings = settings;
    const isAbsolute = /^https?:\/\//.test(url);
    this.hasHost = isAbsolute && URL.canParse(url) && request.headers.get('host')?.includes(',') !== true;
    // Also behind a host that is none: the address says how the error is told.
    const pathStart = isAbsolute ? Math.max(0, url.indexOf('/', url.indexOf('://') + 3)) : 0;
    const queryStart = url.indexOf('?', pathStart);
    this.isHead = method === 'HEAD';
    this.request = this.isHead && this.hasHost ? new Request(request, { method: 'GET' }) : request;
    this.method = this.isHead ? 'GET' : method;
    this.contentType = request.headers.get('content-type');
    this.path = url.slice(pathStart, queryStart < 0 ? undefined : queryStart);
    this.search = queryStart < 0 ? '' : url.slice(queryStart + 1);
    this.clientIp = clientAddress(request, server, settings.trustProxy);
    this.clientKey = clientKey(this.clientIp);
    const { requestId, clientKey: client } = this;
    this.callContext = { requestId, deadline: steadyNow() + REQUEST_LIMIT_MS, client };
  }

  /** The address that links begin with, without a slash at its end: see `baseUrlOf`. */
  get baseUrl(): string {
    this.madeBaseUrl ??= baseUrlOf(this.request, this.settings);
    // An item's host on localhost is told by the request, too: what is behind the label is the service's.
    return this.itemHost?.by === 'label'
      ? this.madeBaseUrl.replace(`://${this.itemHost.label}.`, '://')
      : this.madeBaseUrl;
  }

  /** The path as logs have it: on an item's own host that of the short URL which leads there. */
  get loggedPath(): string {
    const { itemHost } = this;
    if (itemHost === null) return this.path;
    if (this.item === null)
      return `//${itemHost.by === 'label' ? itemHost.label : itemHost.domain}${this.path}`;
    const { namespace, id } = this.item;
    return `/${namespace}/${id}${this.path === '/' ? '' : this.path}`;
  }

  /** Language of the service's own pages and their messages. */
  get language(): Language {
    return languageOf(this.request);
  }

  /** The query as it goes behind a path in an address: with its question mark, or nothing. */
  get querySuffix(): string {
    return this.search === '' ? '' : `?${this.search}`;
  }

  query(): URLSearchParams {
    this.parsedQuery ??= new URLSearchParams(this.search);
    return this.parsedQuery;
  }

  /** Restarts the deadline after a body was read, so that a slow upload leaves the services their full time. */
  restartDeadline(): void {
    this.callContext.deadline = steadyNow() + REQUEST_LIMIT_MS;
  }

  /** Releases the slot among the requests under way, for one that begins to wait for what others do. */
  releaseSlot(): void {
    this.slot?.release();
  }

  /** Registers a callback that releases a resource when the request ends. */
  onEnd(giveBack: () => void): void {
    this.atEnd ??= [];
    this.atEnd.push(giveBack);
  }

  /** Runs the callbacks registered with `onEnd`. */
  end(): void {
    for (const giveBack of this.atEnd ?? []) giveBack();
    this.atEnd = null;
  }
}

const running = new AsyncLocalStorage<RequestContext>();

/** Answers a request within its context, so that Elysia's hooks and handlers find it: see `requestScope`. */
export const runInContext = <T>(context: RequestContext, answer: () => T): T => running.run(context, answer);

/** The context of the request that is being answered. */
export function currentContext(): RequestContext {
  const context = running.getStore();
  if (context === undefined) throw new Error('a request without a context');
  return context;
}

/** Elysia plugin: gives handlers `context` beside `request` and `params`. */
export const requestScope = new Elysia({ name: 'request-scope' }).derive({ as: 'scoped' }, () => ({
  context: currentContext(),
}));
