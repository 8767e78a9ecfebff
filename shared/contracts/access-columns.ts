import { type Static, Type } from '@sinclair/typebox';
import { AccessBatch, type AccessEvent } from './access-log.ts';

/** Of each event the place of its text in `texts`; -1 for `null`. */
const Places = Type.Array(Type.Integer({ minimum: -1 }));

/**
 * A batch of access events by columns, one entry an event in each. A text stands there once, however many events have it:
 * most have their client, User-Agent and item in common with others, and each process on the way pays by the byte.
 */
export const AccessColumns = Type.Object({
  id: AccessBatch.properties.id,
  texts: Type.Array(Type.String()),
  /** In ms since the epoch; `at` is in ms from here. */
  since: Type.Integer({ minimum: 0 }),
  at: Type.Array(Type.Integer()),
  requestId: Type.Array(Type.String()),
  clientIp: Places,
  userAgent: Places,
  method: Places,
  path: Places,
  query: Places,
  status: Type.Array(Type.Integer()),
  durationMs: Type.Array(Type.Number()),
  /** Left out where each event is one request. */
  requests: Type.Optional(Type.Array(Type.Integer())),
  referer: Places,
  resourceType: Places,
  resourceNamespace: Places,
  resourceId: Places,
});
export type AccessColumns = Static<typeof AccessColumns>;

/** Events as they travel. */
export function toColumns(id: string, events: readonly AccessEvent[]): AccessColumns {
  const texts: string[] = [];
  const places = new Map<string, number>();
  const placeOf = (text: string | null): number => {
    if (text === null) return -1;
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, texts.length);
    return texts.push(text) - 1;
  };
  const since = events[0]?.at ?? 0;
  return {
    ...{ id, texts, since },
    at: events.map((event) => event.at - since),
    requestId: events.map((event) => event.requestId),
    clientIp: events.map((event) => placeOf(event.clientIp)),
    userAgent: events.map((event) => placeOf(event.userAgent)),
    method: events.map((event) => placeOf(event.method)),
    path: events.map((event) => placeOf(event.path)),
    query: events.map((event) => placeOf(event.query)),
    status: events.map((event) => event.status),
    durationMs: events.map((event) => event.durationMs),
    ...(events.some(({ requests = 1 }) => requests > 1)
      ? { requests: events.map(({ requests = 1 }) => requests) }
      : {}),
    referer: events.map((event) => placeOf(event.referer)),
    resourceType: events.map((event) => placeOf(event.resourceType)),
    resourceNamespace: events.map((event) => placeOf(event.resourceNamespace)),
    resourceId: events.map((event) => placeOf(event.resourceId)),
  };
}

/** The batch in columns. Unchecked: where a column is too short, or a place leads nowhere, an event lacks what is there. */
export function fromColumns(columns: AccessColumns): { id: string; events: unknown[] } {
  const { id, texts, since } = columns;
  const textAt = (place: number | undefined) => (place === -1 ? null : texts[place ?? texts.length]);
  const events = columns.at.map((at, index) => ({
    at: since + at,
    requestId: columns.requestId[index],
    clientIp: textAt(columns.clientIp[index]),
    userAgent: textAt(columns.userAgent[index]),
    method: textAt(columns.method[index]),
    path: textAt(columns.path[index]),
    query: textAt(columns.query[index]),
    status: columns.status[index],
    durationMs: columns.durationMs[index],
    requests: columns.requests?.[index] ?? 1,
    referer: textAt(columns.referer[index]),
    resourceType: textAt(columns.resourceType[index]),
    resourceNamespace: textAt(columns.resourceNamespace[index]),
    resourceId: textAt(columns.resourceId[index]),
  }));
  return { id, events };
}
