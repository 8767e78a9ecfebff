import { Counter, Gauge } from 'prom-client';
import { areAlike, createColumns, type LoggedRequest } from '../../../shared/contracts/access-columns.ts';
import type { RequestAttributes } from '../../../shared/contracts/access-log.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Metrics } from '../../../shared/metrics.ts';
import type { EventStream } from '../../../shared/ports/event-stream.ts';
import { userAgentOf } from '../http/client.ts';
import { maskPath, maskQuery, maskReferer } from '../http/query-masking.ts';
import type { RequestContext } from '../http/request-context.ts';
import { copyOfSlice, headerText } from '../http/text.ts';
import { createEventBuffer } from './event-buffer.ts';
import { createRequestLines, createRequestLog, PERIOD_MS } from './request-log.ts';

/** Longest texts that are kept, in characters; the rest is cut off. */
const KEPT = { path: 500, query: 1_000, referer: 1_000 };

/**
 * Most characters of a URL beyond the kept path and query, usually its host. A slice of a string keeps the whole string in
 * memory: above this limit, the path and query are copied instead of sliced.
 */
const STAYS = 100;

/** On their way to the access log (specification 18.3). */
export interface AccessEvents {
  /** Never waits, never throws: a request that finds no room is dropped and counted. */
  record(request: LoggedRequest): void;
  /** Sends the buffered events, within a time limit. No request may be under way any more. */
  stop(): Promise<void>;
}

/** An answered request, without its secrets (specification 18.3). */
export const loggedRequestOf = (context: RequestContext, status: number, seconds: number): LoggedRequest => ({
  at: context.arrivedAt,
  requestId: context.requestId,
  durationMs: toDurationMs(seconds),
  attributes: attributesOf(context, status),
});

function attributesOf(context: RequestContext, status: number): RequestAttributes {
  const { headers } = context.request;
  const { loggedPath: path, search, item } = context;
  const kept = Math.min(path.length, KEPT.path) + Math.min(search.length, KEPT.query);
  const isLong = context.request.url.length - kept > STAYS;
  const ofAddress = isLong ? copyOfSlice : (text: string): string => text;
  return {
    clientIp: context.clientIp,
    userAgent: userAgentOf(headers),
    method: context.isHead ? 'HEAD' : context.method,
    path: ofAddress(maskPath(path.slice(0, KEPT.path))),
    query: search === '' ? '' : ofAddress(maskQuery(search.slice(0, KEPT.query))),
    status,
    referer: refererOf(headers),
    resourceType: item?.kind ?? null,
    resourceNamespace: item?.namespace ?? null,
    resourceId: item?.id ?? null,
    viewed: context.viewed,
  };
}

/** A duration as the log has it, in ms. */
export const toDurationMs = (seconds: number): number => Math.round(seconds * 100_000) / 100;

/** Where the client says it comes from, as far as the log keeps it. */
export function refererOf(headers: Headers): string | null {
  const referer = headerText(headers, 'referer');
  if (referer === null) return null;
  const masked = maskReferer(referer, KEPT.referer);
  return referer.length <= KEPT.referer ? masked : copyOfSlice(masked);
}

/** Size of an entry without its texts, in characters. */
const ENTRY_CHARACTERS = 300;

/** The size of an entry of the log. Many requests have their texts in common with the one before. */
function createEntrySize(): (request: LoggedRequest) => number {
  let last: RequestAttributes | null = null;
  let size = 0;
  return ({ attributes }) => {
    if (last !== null && areAlike(last, attributes)) return size;
    last = attributes;
    size = ENTRY_CHARACTERS + textsInMemory(attributes);
    return size;
  };
}

/** Size in a batch of what differs between alike requests, and of what they have in common without its texts, in characters. */
const [MOMENT_CHARACTERS, ATTRIBUTES_CHARACTERS] = [100, 200];

/** The size that a request adds to a batch, which has the attributes of alike ones once (`createColumns`). */
function createAddedSize(): (request: LoggedRequest) => number {
  let last: RequestAttributes | null = null;
  return ({ attributes }) => {
    if (last !== null && areAlike(last, attributes)) return MOMENT_CHARACTERS;
    last = attributes;
    return MOMENT_CHARACTERS + ATTRIBUTES_CHARACTERS + textsInMemory(attributes);
  };
}

const textsInMemory = ({ path, query, userAgent, referer }: RequestAttributes): number =>
  inMemory(path) + inMemory(query) + inMemory(userAgent) + inMemory(referer);

/** A text that is not all ASCII may take two bytes for each of its characters. */
const inMemory = (text: string | null): number =>
  text === null ? 0 : (/[\u0080-\uffff]/.test(text) ? 2 : 1) * text.length;

interface AccessEventsOptions {
  events: EventStream;
  /** Most bytes of the entries of a day; see `createRequestLog`. */
  maxBytesPerDay: number;
  metrics: Metrics;
  log: Logger;
}

/** Logs the events of a gateway: in lines, and in batches for the access log. Counts what it had to drop or sum up. */
export function createAccessEvents({
  events,
  metrics,
  log,
  maxBytesPerDay,
}: AccessEventsOptions): AccessEvents {
  const { registry } = metrics;
  const dropped = new Counter({
    name: 'access_events_dropped_total',
    help: 'Answered requests that the access log will never have.',
    registers: [registry],
  });
  const encoder = new TextEncoder();
  const buffer = createEventBuffer<LoggedRequest>({
    stream: events,
    log,
    sizeOf: createAddedSize(),
    open() {
      const { add, removeFirst, build } = createColumns();
      return { add, removeFirst, encode: (id) => encoder.encode(JSON.stringify(build(id))) };
    },
    onDropped: (count) => dropped.inc(count),
  });
  new Gauge({
    name: 'access_events_buffered',
    help: 'Answered requests on their way to the access log.',
    registers: [registry],
    collect() {
      this.set(buffer.buffered);
    },
  });
  const summed = new Counter({
    name: 'access_log_summed_total',
    help: 'Answered requests that the logs have as a part of a counted entry only.',
    labelNames: ['reason'],
    registers: [registry],
  });
  // Alarms need a number to begin with.
  for (const reason of ['refused', 'bound']) summed.inc({ reason }, 0);
  const logLine = createRequestLines(log);
  const requests = createRequestLog({
    sizeOf: createEntrySize(),
    maxBytesPerDay,
    write(request) {
      buffer.add(request);
      logLine(request);
    },
    onSummed: (reason) => summed.inc({ reason }),
  });
  const flushing = setInterval(requests.flush, PERIOD_MS);
  flushing.unref();
  return {
    record: requests.record,
    async stop() {
      clearInterval(flushing);
      requests.flush();
      await buffer.stop();
    },
  };
}
