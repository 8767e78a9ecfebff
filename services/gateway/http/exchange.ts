import type { Server } from 'bun';
import type { CallContext } from '../../../shared/contracts/operation.ts';
import { newRequestId } from '../../../shared/ids.ts';
import { clientAddress } from './client-address.ts';

/** One request on its way through the gateway, with what the layers learn about it. */
export interface Exchange {
  readonly request: Request;
  readonly requestId: string;
  /** GET also for a HEAD request: its answer is a GET's without the body. */
  readonly method: string;
  readonly isHead: boolean;
  /** As received: percent-encoded, without the query. */
  readonly path: string;
  /** As received, without the question mark. */
  readonly search: string;
  readonly clientIp: string;
  /** `performance.now()` at arrival. */
  readonly startedAt: number;
  /** For the services: nobody waits for an answer after its deadline. */
  readonly context: CallContext;
  /** Gives the work that follows its full time again: a slow upload is not the services' fault. */
  restartDeadline(): void;
  /** Registers what is to be given back when the answer is ready. */
  onEnd(giveBack: () => void): void;
  /** Gives back all that was registered. */
  end(): void;
  query(): URLSearchParams;
  /** Headers that limits add to whatever the answer is. */
  rateHeaders: RateHeaders | null;
}

export interface RateHeaders {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/** Longest time a request may take in all, its body's arrival aside, in ms. */
const REQUEST_LIMIT_MS = 15_000;

const known = new WeakMap<Request, Exchange>();

export function openExchange(request: Request, server: Server<unknown>, trustProxy: number): Exchange {
  const { url } = request;
  const pathStart = url.indexOf('/', url.indexOf('://') + 3);
  const queryStart = url.indexOf('?', pathStart);
  const requestId = newRequestId();
  const isHead = request.method === 'HEAD';
  let query: URLSearchParams | null = null;
  const atEnd: Array<() => void> = [];
  const context = { requestId, deadline: Date.now() + REQUEST_LIMIT_MS };
  const search = queryStart < 0 ? '' : url.slice(queryStart + 1);
  const exchange: Exchange = {
    request: isHead ? new Request(request, { method: 'GET' }) : request,
    requestId,
    method: isHead ? 'GET' : request.method,
    isHead,
    path: url.slice(pathStart, queryStart < 0 ? undefined : queryStart),
    search,
    clientIp: clientAddress(request, server, trustProxy),
    startedAt: performance.now(),
    context,
    restartDeadline() {
      context.deadline = Date.now() + REQUEST_LIMIT_MS;
    },
    onEnd(giveBack) {
      atEnd.push(giveBack);
    },
    end() {
      for (const giveBack of atEnd.splice(0)) giveBack();
    },
    query() {
      query ??= new URLSearchParams(search);
      return query;
    },
    rateHeaders: null,
  };
  known.set(exchange.request, exchange);
  return exchange;
}

/** The exchange of a request that came through `openExchange`. */
export function exchangeOf(request: Request): Exchange {
  const exchange = known.get(request);
  if (exchange === undefined) throw new Error('a request without an exchange');
  return exchange;
}
