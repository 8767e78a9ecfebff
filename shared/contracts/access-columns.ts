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
    clientIp: new TextColumn(placeOf),
    userAgent: new TextColumn(placeOf),
    method: new TextColumn(placeOf),
    path: new TextColumn(placeOf),
    query: new TextColumn(placeOf),
    referer: new TextColumn(placeOf),
    resourceType: new TextColumn(placeOf),
    resourceNamespace: new TextColumn(placeOf),
    resourceId: new TextColumn(placeOf),
    viewed: new TextColumn(placeOf),
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
      text.viewed.add(event.viewed ?? null);
    },
    removeFirst() {
      removed += 1;
    },
    build(id) {
      const left = <T>(column: T[]): T[] => (removed === 0 ? column : column.slice(removed));
      return {
        id,
        texts,
        since: Math.max(0, since),
        at: left(at),
        requestId: left(requestId),
        clientIp: text.clientIp.from(removed),
        userAgent: text.userAgent.from(removed),
        method: text.method.from(removed),
        path: text.path.from(removed),
        query: text.query.from(removed),
        status: left(status),
        durationMs: left(durationMs),
        ...(areSingle ? {} : { requests: left(requests) }),
        referer: text.referer.from(removed),
        resourceType: text.resourceType.from(removed),
        resourceNamespace: text.resourceNamespace.from(removed),
        resourceId: text.resourceId.from(removed),
        viewed: text.viewed.from(removed),
      };
    },
  };
}

/** Texts by their places. Most events have theirs in common with the one before. */
class TextColumn {
  private readonly placeOf: (text: string) => number;
  private length = 0;
  /** One for each event; `null` while all have the same. */
  private places: number[] | null = null;
  private last: string | null = null;
  private place = -1;

  constructor(placeOf: (text: string) => number) {
    this.placeOf = placeOf;
  }

  add(text: string | null): void {
    if (text !== this.last) {
      if (this.length > 0) this.places ??= Array(this.length).fill(this.place);
      this.place = text === null ? -1 : this.placeOf(text);
      this.last = text;
    }
    this.length += 1;
    this.places?.push(this.place);
  }

  /** Without the first ones. */
  from(removed: number): Places {
    return this.places?.slice(removed) ?? this.place;
  }
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
