import { type Static, Type } from '@sinclair/typebox';
import { AccessBatch, type AccessEvent, type RequestAttributes } from './access-log.ts';

/** The place of an event's text in `texts`; -1 for `null`. */
const Place = Type.Integer({ minimum: -1 });

/** A place for each event, or one for all. */
const Places = Type.Union([Place, Type.Array(Place)]);
export type Places = Static<typeof Places>;

/** Stands between request ids, in which there is no comma. */
export const ID_SEPARATOR = ',';

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
  /** The ids in one text, which is read in a tenth of the time of an array. Gateways of an earlier release send an array. */
  requestId: Type.Union([Type.String(), Type.Array(Type.String())]),
  clientIp: Places,
  userAgent: Places,
  method: Places,
  path: Places,
  query: Places,
  /** One for each event, or one for all. */
  status: Type.Union([Type.Integer(), Type.Array(Type.Integer())]),
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

/** An access event whose attributes may be shared with others. */
export interface LoggedRequest extends Pick<AccessEvent, 'at' | 'requestId' | 'durationMs' | 'requests'> {
  attributes: RequestAttributes;
}

/** A batch of requests that grows. */
export interface ColumnsBuilder {
  add(request: LoggedRequest): void;
  /** Takes the oldest request out again. */
  removeFirst(): void;
  /** The batch as it travels. */
  build(id: string): AccessColumns;
}

/** Whether two requests are alike: one object, in the best case. Written out, as each request is compared. */
export const areAlike = (one: RequestAttributes, other: RequestAttributes): boolean =>
  one === other ||
  (one.path === other.path &&
    one.status === other.status &&
    one.method === other.method &&
    one.query === other.query &&
    one.clientIp === other.clientIp &&
    one.userAgent === other.userAgent &&
    one.referer === other.referer &&
    one.resourceType === other.resourceType &&
    one.resourceNamespace === other.resourceNamespace &&
    one.resourceId === other.resourceId &&
    one.viewed === other.viewed);

/** Of requests that follow one another and are alike only one's attributes are kept until the batch is built. */
export function createColumns(): ColumnsBuilder {
  /** Attributes that are not alike to those before. */
  const heads: RequestAttributes[] = [];
  /** For each request the place of its attributes among these. */
  const headOf: number[] = [];
  const at: number[] = [];
  const requestId: string[] = [];
  const durationMs: number[] = [];
  /** Numbers of requests, by the place of the event; most stand for one. */
  const several = new Map<number, number>();
  let last: RequestAttributes | null = null;
  let removed = 0;

  return {
    add(request) {
      const { attributes, requests } = request;
      if (last === null || !areAlike(last, attributes)) {
        last = attributes;
        heads.push(attributes);
      }
      if (requests !== undefined && requests !== 1) several.set(at.length, requests);
      headOf.push(heads.length - 1);
      at.push(request.at);
      requestId.push(request.requestId);
      durationMs.push(request.durationMs);
    },
    removeFirst() {
      removed += 1;
    },
    build(id) {
      const { texts, placeOf } = createTextTable();
      const left = <T>(column: T[]): T[] => (removed === 0 ? column : column.slice(removed));
      const [since = 0] = at;
      const events = left(headOf);
      /** One value for all where they have it in common. */
      const valuesOf = (toValue: (head: RequestAttributes) => number): number | number[] => {
        const values = heads.map(toValue);
        const [first = 0] = values;
        if (values.every((value) => value === first)) return first;
        return events.map((head) => values[head] ?? first);
      };
      const placesOf = (textOf: (head: RequestAttributes) => string | null): Places =>
        valuesOf((head) => placeOf(textOf(head)));
      return {
        id,
        texts,
        since,
        at: left(at).map((ms) => ms - since),
        requestId: left(requestId).join(ID_SEPARATOR),
        clientIp: placesOf((head) => head.clientIp),
        userAgent: placesOf((head) => head.userAgent),
        method: placesOf((head) => head.method),
        path: placesOf((head) => head.path),
        query: placesOf((head) => head.query),
        status: valuesOf((head) => head.status),
        durationMs: left(durationMs),
        ...(several.size === 0 ? {} : { requests: left(at.map((_, place) => several.get(place) ?? 1)) }),
        referer: placesOf((head) => head.referer),
        resourceType: placesOf((head) => head.resourceType),
        resourceNamespace: placesOf((head) => head.resourceNamespace),
        resourceId: placesOf((head) => head.resourceId),
        viewed: placesOf((head) => head.viewed ?? null),
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
