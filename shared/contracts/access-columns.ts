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

/** A batch of events that grows. */
export interface ColumnsBuilder {
  add(event: AccessEvent): void;
  /** Takes the oldest event out again. */
  removeFirst(): void;
  /** The batch as it travels. */
  build(id: string): AccessColumns;
}

/** Each event is put into the columns as it comes, so that nothing of it has to be kept beside them. */
export function createColumns(): ColumnsBuilder {
  const texts: string[] = [];
  const places = new Map<string, number>();
  const placeOf = (text: string): number => {
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, texts.length);
    return texts.push(text) - 1;
  };
  const text = {
    ...{ clientIp: new TextColumn(placeOf), userAgent: new TextColumn(placeOf) },
    ...{ method: new TextColumn(placeOf), path: new TextColumn(placeOf), query: new TextColumn(placeOf) },
    ...{ referer: new TextColumn(placeOf), resourceType: new TextColumn(placeOf) },
    ...{ resourceNamespace: new TextColumn(placeOf), resourceId: new TextColumn(placeOf) },
  };
  const at: number[] = [];
  const requestId: string[] = [];
  const status: number[] = [];
  const durationMs: number[] = [];
  const requests: number[] = [];
  let since = -1;
  let removed = 0;
  let areSingle = true;

  return {
    add(event) {
      if (since < 0) since = event.at;
      at.push(event.at - since);
      requestId.push(event.requestId);
      text.clientIp.add(event.clientIp);
      text.userAgent.add(event.userAgent);
      text.method.add(event.method);
      text.path.add(event.path);
      text.query.add(event.query);
      status.push(event.status);
      durationMs.push(event.durationMs);
      const { requests: times = 1 } = event;
      requests.push(times);
      areSingle &&= times === 1;
      text.referer.add(event.referer);
      text.resourceType.add(event.resourceType);
      text.resourceNamespace.add(event.resourceNamespace);
      text.resourceId.add(event.resourceId);
    },
    removeFirst() {
      removed += 1;
    },
    build(id) {
      const left = <T>(column: T[]): T[] => (removed === 0 ? column : column.slice(removed));
      return {
        ...{ id, texts, since: Math.max(0, since) },
        at: left(at),
        requestId: left(requestId),
        clientIp: left(text.clientIp.places),
        userAgent: left(text.userAgent.places),
        method: left(text.method.places),
        path: left(text.path.places),
        query: left(text.query.places),
        status: left(status),
        durationMs: left(durationMs),
        ...(areSingle ? {} : { requests: left(requests) }),
        referer: left(text.referer.places),
        resourceType: left(text.resourceType.places),
        resourceNamespace: left(text.resourceNamespace.places),
        resourceId: left(text.resourceId.places),
      };
    },
  };
}

/** Texts by their places. Most events have theirs in common with the one before. */
class TextColumn {
  readonly places: number[] = [];
  private readonly placeOf: (text: string) => number;
  private last: string | null = null;
  private place = -1;

  constructor(placeOf: (text: string) => number) {
    this.placeOf = placeOf;
  }

  add(text: string | null): void {
    if (text !== this.last) {
      this.place = text === null ? -1 : this.placeOf(text);
      this.last = text;
    }
    this.places.push(this.place);
  }
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
