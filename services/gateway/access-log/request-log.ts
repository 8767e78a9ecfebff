import type { LoggedRequest } from '../../../shared/contracts/access-columns.ts';
import type { RequestAttributes } from '../../../shared/contracts/access-log.ts';
import { createLineWriter, type Logger } from '../../../shared/logger.ts';
import { clientKey } from '../http/client.ts';

/** Why a request is logged only as part of a sum: one refusal of many to a client, or the day's bytes are used up. */
export type SummedReason = 'refused' | 'bound';

export interface RequestLog {
  /** Writes the request, now by itself or soon together with others. Never waits. @throws as `write` */
  record(request: LoggedRequest): void;
  /** Writes the sums gathered since the last call. */
  flush(): void;
}

interface RequestLogOptions {
  write(request: LoggedRequest): void;
  /** Bytes that an entry takes. */
  sizeOf(request: LoggedRequest): number;
  /** A token bucket of bytes: while it is empty, all requests are summed up. 0: no bound. */
  maxBytesPerDay: number;
  onSummed(reason: SummedReason): void;
  /** In ms. */
  now?: () => number;
}

/** Statuses of refusals, which a client may get without pause: a line for each would be tens of GB a day. */
const REFUSALS = new Set([429, 503]);

/** Refusals of one client and status that are logged one by one in each period; the rest become one row with a count. */
const WRITTEN_SINGLY = 10;
export const PERIOD_MS = 10_000;

/** Clients told apart in a period. The requests of further clients are summed up under `*`. */
const MAX_CLIENTS = 1_000;

const DAY_MS = 86_400_000;

/** Requests alike in client, method and status. */
interface Sum {
  /** Arrival of the last, and the id of the first. */
  at: number;
  requestId: string;
  /** Attributes that all have in common; one in which they differ is `*`, `null` or empty. */
  attributes: RequestAttributes;
  requests: number;
  durationMs: number;
}

/**
 * Keeps the log small whatever clients send: repeated refusals of one client become rows with a count, and so do all
 * requests beyond the day's bytes, one for each status, method and client, and of all clients together while the rows themselves
 * are more than the day's bytes. No request goes uncounted: each row has the number of its requests.
 */
export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { write, sizeOf, maxBytesPerDay, onSummed, now = () => performance.now() } = options;
  const refused = new Map<string, number>();
  const sums = new Map<string, Sum>();
  let bytesLeft = maxBytesPerDay;
  let refilledAt = now();

  const refill = (): void => {
    const at = now();
    bytesLeft = Math.min(maxBytesPerDay, bytesLeft + ((at - refilledAt) / DAY_MS) * maxBytesPerDay);
    refilledAt = at;
  };
  const hasRoom = (request: LoggedRequest): boolean => {
    if (maxBytesPerDay === 0) return true;
    const size = sizeOf(request);
    // Each period refills it as well; to look at the clock for each request takes longer than all else here.
    if (size > bytesLeft) refill();
    if (size > bytesLeft) return false;
    bytesLeft -= size;
    return true;
  };
  /** Sums are written whatever room there is, and are paid for by what comes later. */
  const charge = (request: LoggedRequest): void => {
    if (maxBytesPerDay !== 0) bytesLeft -= sizeOf(request);
  };

  const isRepeatedRefusal = ({ status, clientIp }: RequestAttributes): boolean => {
    if (!REFUSALS.has(status)) return false;
    const key = `${status} ${clientKey(clientIp)}`;
    const count = (refused.get(key) ?? 0) + 1;
    if (count > 1 || refused.size < MAX_CLIENTS) refused.set(key, count);
    return count > WRITTEN_SINGLY || !refused.has(key);
  };

  const sumUp = ({ attributes, at, requestId, durationMs }: LoggedRequest, reason: SummedReason): void => {
    const kind = `${attributes.status} ${attributes.method}`;
    const own = `${kind} ${clientKey(attributes.clientIp)}`;
    const isTold = sums.has(own) || (bytesLeft >= 0 && sums.size < MAX_CLIENTS);
    const key = isTold ? own : `${kind} *`;
    const sum = sums.get(key);
    if (sum === undefined) {
      const first = reason === 'bound' ? withoutTexts(attributes) : attributes;
      const kept = isTold ? first : { ...first, clientIp: '*' };
      sums.set(key, { at, requestId, durationMs, attributes: kept, requests: 1 });
      return;
    }
    sum.at = Math.max(sum.at, at);
    sum.attributes = inCommon(sum.attributes, attributes);
    sum.requests += 1;
    sum.durationMs += durationMs;
  };

  return {
    record(request) {
      const isRefusal = isRepeatedRefusal(request.attributes);
      const reason = isRefusal ? 'refused' : hasRoom(request) ? null : 'bound';
      if (reason === null) return write(request);
      onSummed(reason);
      sumUp(request, reason);
    },
    flush() {
      refill();
      refused.clear();
      for (const sum of sums.values()) {
        const row = { ...sum, durationMs: Math.round((sum.durationMs / sum.requests) * 100) / 100 };
        charge(row);
        write(row);
      }
      sums.clear();
    },
  };
}

/** Without all that a client may make long. */
const withoutTexts = (attributes: RequestAttributes): RequestAttributes => ({
  ...attributes,
  path: '*',
  query: '',
  userAgent: null,
  referer: null,
});

function inCommon(one: RequestAttributes, other: RequestAttributes): RequestAttributes {
  const isOneItem =
    one.resourceType === other.resourceType &&
    one.resourceNamespace === other.resourceNamespace &&
    one.resourceId === other.resourceId;
  return {
    ...one,
    path: one.path === other.path ? one.path : '*',
    query: one.query === other.query ? one.query : '',
    userAgent: one.userAgent === other.userAgent ? one.userAgent : null,
    referer: one.referer === other.referer ? one.referer : null,
    viewed: one.viewed === other.viewed ? (one.viewed ?? null) : null,
    ...(isOneItem ? {} : { resourceType: null, resourceNamespace: null, resourceId: null }),
  };
}

/** Logs requests in lines. */
export interface RequestLines {
  write(request: LoggedRequest): void;
  /** Calls back before the log is flushed, for requests that wait to be written. */
  onFlush(callback: () => void): void;
}

/** Fields that a request has in common with the one before are made JSON once. */
export function createRequestLines(log: Logger): RequestLines {
  const lines = createLineWriter(log);
  if (lines === null) return { write: () => undefined, onFlush: () => undefined };
  let last: RequestAttributes | null = null;
  /** All between the request id and the duration. */
  let middle = '';
  const write: RequestLines['write'] = ({ attributes, requestId, at, durationMs, requests }) => {
    if (last === null || !haveOneMiddle(last, attributes)) {
      const { clientIp, method, path, query, status } = attributes;
      const asked = { clientIp, method, path, ...(query === '' ? {} : { query }), status };
      middle = `","http":${JSON.stringify(asked).slice(0, -1)},"durationMs":`;
      last = attributes;
    }
    lines.begin(Math.round(at + durationMs), '"requestId":"');
    lines.add(requestId);
    lines.add(middle);
    lines.add(String(durationMs));
    if (requests !== undefined) lines.add(`,"requests":${requests}`);
    lines.end('}');
  };
  return { write, onFlush: lines.onFlush };
}

const haveOneMiddle = (one: RequestAttributes, other: RequestAttributes): boolean =>
  one === other ||
  (one.clientIp === other.clientIp &&
    one.method === other.method &&
    one.path === other.path &&
    one.query === other.query &&
    one.status === other.status);
