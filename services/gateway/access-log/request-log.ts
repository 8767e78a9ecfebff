import type { AccessEvent } from '../../../shared/contracts/access-log.ts';
import { createLineWriter, type Logger } from '../../../shared/logger.ts';
import { clientKey } from '../http/client.ts';

/** Why a request is logged only as part of a sum: one refusal of many to a client, or the day's bytes are used up. */
export type SummedReason = 'refused' | 'bound';

export interface RequestLog {
  /** Writes the request, now by itself or soon together with others. Never waits, never throws. */
  record(event: AccessEvent): void;
  /** Writes the sums gathered since the last call. */
  flush(): void;
}

interface RequestLogOptions {
  write(event: AccessEvent): void;
  /** Bytes that an entry takes. */
  sizeOf(event: AccessEvent): number;
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
  /** The fields that all have in common; one in which they differ is `*`, `null` or empty. */
  event: AccessEvent;
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

  const hasRoom = (event: AccessEvent): boolean => {
    if (maxBytesPerDay === 0) return true;
    const at = now();
    bytesLeft = Math.min(maxBytesPerDay, bytesLeft + ((at - refilledAt) / DAY_MS) * maxBytesPerDay);
    refilledAt = at;
    const size = sizeOf(event);
    if (size > bytesLeft) return false;
    bytesLeft -= size;
    return true;
  };
  /** Sums are written whatever room there is, and are paid for by what comes later. */
  const charge = (event: AccessEvent): void => {
    if (maxBytesPerDay !== 0) bytesLeft -= sizeOf(event);
  };

  const isRepeatedRefusal = ({ status, clientIp }: AccessEvent): boolean => {
    if (!REFUSALS.has(status)) return false;
    const key = `${status} ${clientKey(clientIp)}`;
    const count = (refused.get(key) ?? 0) + 1;
    if (count > 1 || refused.size < MAX_CLIENTS) refused.set(key, count);
    return count > WRITTEN_SINGLY || !refused.has(key);
  };

  const sumUp = (event: AccessEvent, reason: SummedReason): void => {
    const kind = `${event.status} ${event.method}`;
    const own = `${kind} ${clientKey(event.clientIp)}`;
    const isTold = sums.has(own) || (bytesLeft >= 0 && sums.size < MAX_CLIENTS);
    const key = isTold ? own : `${kind} *`;
    const sum = sums.get(key);
    if (sum === undefined) {
      const first = reason === 'bound' ? withoutTexts(event) : event;
      const kept = isTold ? first : { ...first, clientIp: '*' };
      sums.set(key, { event: kept, requests: 1, durationMs: event.durationMs });
      return;
    }
    sum.event = inCommon(sum.event, event);
    sum.requests += 1;
    sum.durationMs += event.durationMs;
  };

  return {
    record(event) {
      const reason = isRepeatedRefusal(event) ? 'refused' : hasRoom(event) ? null : 'bound';
      if (reason === null) return write(event);
      onSummed(reason);
      sumUp(event, reason);
    },
    flush() {
      refused.clear();
      for (const { event, requests, durationMs } of sums.values()) {
        const row = { ...event, requests, durationMs: Math.round((durationMs / requests) * 100) / 100 };
        charge(row);
        write(row);
      }
      sums.clear();
    },
  };
}

/** Without all that a client may make long. */
const withoutTexts = (event: AccessEvent): AccessEvent => ({
  ...event,
  path: '*',
  query: '',
  userAgent: null,
  referer: null,
});

function inCommon(one: AccessEvent, other: AccessEvent): AccessEvent {
  const isOneItem =
    one.resourceType === other.resourceType &&
    one.resourceNamespace === other.resourceNamespace &&
    one.resourceId === other.resourceId;
  return {
    ...one,
    at: Math.max(one.at, other.at),
    path: one.path === other.path ? one.path : '*',
    query: one.query === other.query ? one.query : '',
    userAgent: one.userAgent === other.userAgent ? one.userAgent : null,
    referer: one.referer === other.referer ? one.referer : null,
    viewed: one.viewed === other.viewed ? (one.viewed ?? null) : null,
    ...(isOneItem ? {} : { resourceType: null, resourceNamespace: null, resourceId: null }),
  };
}

/** Logs an event in a line. Fields that it has in common with the event before are made JSON once. */
export function createRequestLines(log: Logger): (event: AccessEvent) => void {
  const write = createLineWriter(log);
  let last: Pick<AccessEvent, 'clientIp' | 'method' | 'path' | 'query' | 'status'> | null = null;
  /** All between the request id and the duration. */
  let middle = '';
  const isAlike = ({ clientIp, method, path, query, status }: AccessEvent): boolean =>
    clientIp === last?.clientIp &&
    method === last.method &&
    path === last.path &&
    query === last.query &&
    status === last.status;
  return (event) => {
    const { requestId, durationMs, requests } = event;
    if (!isAlike(event)) {
      const { clientIp, method, path, query, status } = event;
      const asked = { clientIp, method, path, ...(query === '' ? {} : { query }), status };
      middle = `","http":${JSON.stringify(asked).slice(0, -1)},"durationMs":`;
      last = event;
    }
    const times = requests === undefined ? '' : `,"requests":${requests}`;
    write(`"requestId":"${requestId}${middle}${durationMs}${times}}`);
  };
}
