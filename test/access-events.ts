import type { AlikeRequests } from '../services/analytics/alike-requests.ts';
import type { LoggedRequest } from '../shared/contracts/access-columns.ts';
import type { AccessEvent } from '../shared/contracts/access-log.ts';

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
