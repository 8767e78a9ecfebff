import { type Static, Type } from '@sinclair/typebox';
import { KINDS } from '../items/item.ts';
import { AccessBatch, type AccessEvent } from './access-log.ts';

/** The place of an event's text in `texts`; -1 for `null`. */
const Place = Type.Integer({ minimum: -1 });

/** A place for each event, or one for all. */
const Places = Type.Union([Place, Type.Array(Place)]);
type Places = Static<typeof Places>;

/**
 * A batch of access events by columns, one entry an event in each. A text stands there once, however many events have it:
 * most have their client, User-Agent and item in common with others, and each process on the way pays by the byte.
 */
export const AccessColumns = Type.Object({
  id: AccessBatch.properties.id,
  texts: Type.Array(Type.String()),
  /** Beginning of the batch, in ms since the epoch; `at` is in ms from here. */
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
  /** Left out by gateways of an earlier release. */
  viewed: Type.Optional(Places),
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

/** Whether two events differ in nothing but time, id, duration and number of requests. Written out, as each request is compared. */
export const areAlike = (one: AccessEvent, other: AccessEvent): boolean =>
  one.path === other.path &&
  one.status === other.status &&
  one.method === other.method &&
  one.query === other.query &&
  one.clientIp === other.clientIp &&
  one.userAgent === other.userAgent &&
  one.referer === other.referer &&
  one.resourceType === other.resourceType &&
  one.resourceNamespace === other.resourceNamespace &&
  one.resourceId === other.resourceId &&
  one.viewed === other.viewed;

/** Of events that follow one another and are alike only the first one is kept until the batch is built. */
export function createColumns(): ColumnsBuilder {
  /** Events that are not alike to the one before. */
  const heads: AccessEvent[] = [];
  /** For each event its place among these. */
  const headOf: number[] = [];
  const at: number[] = [];
  const requestId: string[] = [];
  const durationMs: number[] = [];
  const requests: number[] = [];
  let last: AccessEvent | null = null;
  let removed = 0;
  let areSingle = true;

  return {
    add(event) {
      if (last === null || !areAlike(last, event)) {
        last = event;
        heads.push(event);
      }
      headOf.push(heads.length - 1);
      at.push(event.at);
      requestId.push(event.requestId);
      durationMs.push(event.durationMs);
      const { requests: times = 1 } = event;
      requests.push(times);
      areSingle &&= times === 1;
    },
    removeFirst() {
      removed += 1;
    },
    build(id) {
      const { texts, placeOf } = createTextTable();
      const left = <T>(column: T[]): T[] => (removed === 0 ? column : column.slice(removed));
      const [since = 0] = at;
      const events = left(headOf);
      const placesOf = (textOf: (event: AccessEvent) => string | null): Places => {
        const places = heads.map((head) => placeOf(textOf(head)));
        const [first = -1] = places;
        if (places.every((place) => place === first)) return first;
        return events.map((head) => places[head] ?? -1);
      };
      return {
        id,
        texts,
        since,
        at: left(at).map((ms) => ms - since),
        requestId: left(requestId),
        clientIp: placesOf((event) => event.clientIp),
        userAgent: placesOf((event) => event.userAgent),
        method: placesOf((event) => event.method),
        path: placesOf((event) => event.path),
        query: placesOf((event) => event.query),
        status: events.map((head) => heads[head]?.status ?? 0),
        durationMs: left(durationMs),
        ...(areSingle ? {} : { requests: left(requests) }),
        referer: placesOf((event) => event.referer),
        resourceType: placesOf((event) => event.resourceType),
        resourceNamespace: placesOf((event) => event.resourceNamespace),
        resourceId: placesOf((event) => event.resourceId),
        viewed: placesOf((event) => event.viewed ?? null),
      };
    },
  };
}

/** Texts, each there once, by their places. */
function createTextTable(): { texts: string[]; placeOf(text: string | null): number } {
  const texts: string[] = [];
  const places = new Map<string, number>();
  return {
    texts,
    placeOf(text) {
      if (text === null) return -1;
      const known = places.get(text);
      if (known !== undefined) return known;
      places.set(text, texts.length);
      return texts.push(text) - 1;
    },
  };
}

/**
 * The events of a batch in columns. Unchecked unless `areSound` says so: where a column is too short, or a place leads
 * nowhere, an event lacks what is there.
 */
export function fromColumns(columns: AccessColumns): { id: string; events: unknown[] } {
  const { id, texts, since } = columns;
  const textsOf = (places: Places): ((index: number) => unknown) => {
    const textAt = (place = texts.length) => (place === -1 ? null : texts[place]);
    if (typeof places !== 'number') return (index) => textAt(places[index]);
    const text = textAt(places);
    return () => text;
  };
  const clientIp = textsOf(columns.clientIp);
  const userAgent = textsOf(columns.userAgent);
  const method = textsOf(columns.method);
  const path = textsOf(columns.path);
  const query = textsOf(columns.query);
  const referer = textsOf(columns.referer);
  const resourceType = textsOf(columns.resourceType);
  const resourceNamespace = textsOf(columns.resourceNamespace);
  const resourceId = textsOf(columns.resourceId);
  const viewed = textsOf(columns.viewed ?? -1);
  const events = columns.at.map((at, index) => ({
    at: since + at,
    requestId: columns.requestId[index],
    clientIp: clientIp(index),
    userAgent: userAgent(index),
    method: method(index),
    path: path(index),
    query: query(index),
    status: columns.status[index],
    durationMs: columns.durationMs[index],
    requests: columns.requests?.[index] ?? 1,
    referer: referer(index),
    resourceType: resourceType(index),
    resourceNamespace: resourceNamespace(index),
    resourceId: resourceId(index),
    viewed: viewed(index),
  }));
  return { id, events };
}

/** Whether columns of the right types hold nothing but events as agreed: to look at each event costs far more. */
export function areSound(columns: AccessColumns): boolean {
  const { texts, since, at, requestId, status, durationMs, requests } = columns;
  const { length } = at;
  const have = (places: Places, least: number): boolean => {
    const isText = (place: number) => place >= least && place < texts.length;
    return typeof places === 'number' ? isText(places) : places.length === length && places.every(isText);
  };
  const kinds = [columns.resourceType].flat().every((place) => place === -1 || isKind(texts[place]));
  return (
    [requestId, status, durationMs, requests ?? at].every((column) => column.length === length) &&
    at.every((ms) => since + ms >= 0) &&
    status.every((code) => code >= 100 && code <= 599) &&
    durationMs.every((ms) => ms >= 0) &&
    (requests === undefined || requests.every((times) => times >= 1)) &&
    kinds &&
    [columns.clientIp, columns.method, columns.path, columns.query].every((places) => have(places, 0)) &&
    [columns.userAgent, columns.referer, columns.resourceType].every((places) => have(places, -1)) &&
    [columns.resourceNamespace, columns.resourceId, columns.viewed ?? -1].every((places) => have(places, -1))
  );
}

const isKind = (text: string | undefined): boolean => KINDS.some((kind) => kind === text);
