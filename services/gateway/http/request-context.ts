import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'bun';
import { Elysia } from 'elysia';
import type { CallContext } from '../../../shared/call-context.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { newRequestId } from '../../../shared/ids.ts';
import type { ItemRef, Kind } from '../../../shared/items/item.ts';
import type { ItemRecordOf } from '../../../shared/items/item-record.ts';
import type { EntryVisit, WindowState } from '../../../shared/ports/cache.ts';
import { type AddressBook, type Connection, clientAddress, clientKey } from './client.ts';
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

/** A read that was counted before it had a context (`hot-reads/`). */
export interface FastPathRead {
  /** `performance.now()` at arrival. */
  startedAt: number;
  /** Arrival, in ms since the epoch. */
  arrivedAt: number;
  /** `Cache.visitEntry` of the item and key at the request's address, with this view counted. */
  visit(): Promise<EntryVisit>;
  /** The client's window of reads, this one included; `null` where reads are not limited. */
  window: WindowState | null;
}

/** A write that was begun before it had a context (`kinds/kv/hot-puts/`). */
export interface FastPathWrite {
  /** `performance.now()` at arrival. */
  startedAt: number;
  /** Arrival, in ms since the epoch. */
  arrivedAt: number;
  /** The body, which is being read already. */
  body: Promise<ArrayBuffer>;
  /** Counts of a change, as in `FastPathRead`; `null` while it is not counted. */
  counted: Pick<FastPathRead, 'visit' | 'window'> | null;
  /** Why it has failed; `null`: it has not been tried. */
  failure: unknown;
}

/** Answers on the normal path a request that a fast path has begun. @param earlier what that path has done already */
export type AnswerNormally<Earlier extends FastPathRead | FastPathWrite> = (
  request: Request,
  server: Server<unknown>,
  earlier: Earlier,
) => Promise<Response>;

/** An answer that every plain GET of this version of a page, or of this value of a key, gets. */
export interface PlainAnswer {
  record: ItemRecordOf<'html' | 'kv'>;
  /** Name of the key that was read, and the sequence of its value in the cache. */
  entry: { key: string; sequence: number } | null;
  body: Uint8Array | string;
  /** ms since the epoch, when its headers change though its content does not. */
  until: number;
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
  /** The request as a read that is counted already; `null` for one that is not. */
  readonly fastPathRead: FastPathRead | null;
  /** The request as a write that is begun already; `null` for one that is not. */
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
  /** Whether who states no preference gets the address alone as the answer to a create, as people at a shell want it. */
  answersInText = false;
  /** The types of bodies that this create takes, for its errors; `null` for what is no create. */
  supportedTypes: readonly string[] | null = null;
  /** The answer where further requests for this address could get it, too: see `hot-reads/`. */
  plainAnswer: PlainAnswer | null = null;
  /** Whether it was a plain write of a key, whose answer may serve others as a pattern: see `kinds/kv/hot-puts/`. */
  isPlainPut = false;
  /** Its place among the requests under way. */
  place: { release(): void } | null = null;
  /** `null` for a request that came over none: a part of another one. */
  connection: Connection | null = null;
  /** How long it has waited, because its client asked for that, in ms. */
  waitedMs = 0;
  /** The status that logs and metrics note where that of the answer does not tell; `null`: it does. */
  loggedStatus: number | null = null;
  /** The hash of its owner token, `null` without one; `undefined` until somebody asks (`isOwner`). */
  tokenHash: string | null | undefined = undefined;
  /** Whether the request came to the separate host of hosted pages (CONTENT_BASE_URL). */
  onContentHost = false;
  /** The host of its own by which the request came to an item: all paths there are the item's. `null` on other hosts. */
  itemHost: ItemHost | null = null;
  /** Whether the request counts against the limit of reads already, as it had to be found out whose domain it came to. */
  isReadCounted = false;
  /** Whether its Host is none of ours, so that an owner could claim it as a domain at any moment: nothing is cached for that name. */
  isAtForeignName = false;
  /** The origin that the password form of the item leads to in the end, where that is not the service's; `null`: none. */
  formsLeadTo: string | null = null;
  /** Code and password hash of the item that its ticket for one use has opened; `null`: none. */
  openedByTicket: string | null = null;
  /** Whether the browser is to forget all that it keeps for the host of the request: its item is gone. */
  forgetsHost = false;
  /** Whether a browser gets errors as pages: see `SURFACES`. */
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
    return this.itemHost === null || this.itemHost.label === null
      ? this.madeBaseUrl
      : this.madeBaseUrl.replace(`://${this.itemHost.label}.`, '://');
  }

  /** The path as logs have it: on an item's own host that of the short URL which leads there. */
  get loggedPath(): string {
    if (this.itemHost === null) return this.path;
    if (this.item === null) return `//${this.itemHost.label ?? this.itemHost.domain}${this.path}`;
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

  /** Gives up the place among the requests under way, for one that begins to wait for what others do. */
  leavePlace(): void {
    this.place?.release();
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
