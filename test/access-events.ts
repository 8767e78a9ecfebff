import type { AlikeRequests } from '../services/analytics/alike-requests.ts';
import type { LoggedRequest } from '../shared/contracts/access-columns.ts';
import type { AccessEvent } from '../shared/contracts/access-log.ts';

/** Noon of the day at which the clock stands at first. */
export const NOON = Date.UTC(2026, 10, 21, 12);

/** A read of a page at noon, unless the changes say otherwise. */
export const accessEvent = (changes: Partial<AccessEvent> = {}): AccessEvent => ({
  at: NOON,
  requestId: 'request',
  clientIp: '192.0.2.1',
  userAgent: 'Test/1.0',
  method: 'GET',
  path: '/public/page',
  query: '',
  status: 200,
  durationMs: 1,
  referer: null,
  resourceType: 'html',
  resourceNamespace: 'public',
  resourceId: 'page',
  ...changes,
});

/** An event as a gateway logs it. */
export function toLoggedRequest(event: AccessEvent): LoggedRequest {
  const { at, requestId, durationMs, requests, ...attributes } = event;
  return requests === undefined
    ? { at, requestId, durationMs, attributes }
    : { at, requestId, durationMs, requests, attributes };
}

/** The event of a logged request. */
export const toEvent = ({ attributes, ...moment }: LoggedRequest): AccessEvent => ({
  ...attributes,
  ...moment,
});

/** The events of runs, in their order. */
export const eventsOf = (runs: readonly AlikeRequests[]): AccessEvent[] =>
  runs.flatMap(({ attributes, times, at, requestIds, durationsMs }) =>
    at.map((ms, index) => ({
      ...attributes,
      at: ms,
      requestId: requestIds[index] ?? '',
      durationMs: durationsMs[index] ?? 0,
      requests: times,
    })),
  );
