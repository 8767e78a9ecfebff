import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { KINDS } from '../items/item.ts';
import { defineOperation } from './operation.ts';

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** One answered request, or several of a kind, as the log keeps it (specification 18.3). Secrets are masked before. */
export const AccessEvent = Type.Object({
  /** When it happened, in ms since the epoch. */
  at: Type.Integer({ minimum: 0 }),
  requestId: Type.String(),
  clientIp: Type.String(),
  /** `null`: the client sent none. */
  userAgent: nullable(Type.String()),
  method: Type.String(),
  /** Path as received: percent-encoded, without the query. */
  path: Type.String(),
  /** Query as received, without the question mark; empty when there is none. */
  query: Type.String(),
  status: Type.Integer({ minimum: 100, maximum: 599 }),
  /** Duration of the request; the mean of several. */
  durationMs: Type.Number({ minimum: 0 }),
  /** How many requests it stands for; one where it is left out. */
  requests: Type.Optional(Type.Integer({ minimum: 1 })),
  referer: nullable(Type.String()),
  /** The item that was met: all three, or none. */
  resourceType: nullable(Type.Union(KINDS.map((kind) => Type.Literal(kind)))),
  resourceNamespace: nullable(Type.String()),
  resourceId: nullable(Type.String()),
  /** The short code of the item whose view it counted; left out or `null`: it counted none. */
  viewed: Type.Optional(nullable(Type.String())),
});
export type AccessEvent = Static<typeof AccessEvent>;

/** All that requests which are alike have in common. */
export type RequestAttributes = Omit<AccessEvent, 'at' | 'requestId' | 'durationMs' | 'requests'>;

/** Events that travel and are written together: once, however often their id arrives. */
export const AccessBatch = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 200 }),
  events: Type.Array(AccessEvent),
});
export type AccessBatch = Static<typeof AccessBatch>;

/** The texts of a filter have at most so many characters. */
export const PATH_CHARACTERS = 500;
export const USER_AGENT_CHARACTERS = 200;

/** Which entries of the log are asked for; `null` leaves a field open. */
export const AccessFilter = Type.Object({
  clientIp: nullable(Type.String()),
  method: nullable(Type.String()),
  status: nullable(Type.Integer()),
  /** The first digit of the status. */
  statusClass: nullable(Type.Integer({ minimum: 1, maximum: 5 })),
  pathPrefix: nullable(Type.String()),
  /** An item, or without `id` all of its namespace; with `isAlsoId` also every item with the namespace's name as its id. */
  resource: nullable(
    Type.Object({
      namespace: Type.String(),
      id: nullable(Type.String()),
      isAlsoId: Type.Optional(Type.Boolean()),
    }),
  ),
  /** A part of the User-Agent, in any case. */
  userAgent: nullable(Type.String()),
  /** Instants in ms since the epoch: from the first on, up to before the second. */
  from: nullable(Type.Integer()),
  to: nullable(Type.Integer()),
});
export type AccessFilter = Static<typeof AccessFilter>;

/** All entries. */
export const NO_FILTER: AccessFilter = {
  clientIp: null,
  method: null,
  status: null,
  statusClass: null,
  pathPrefix: null,
  resource: null,
  userAgent: null,
  from: null,
  to: null,
};

/** An entry's place in the log: behind it come older ones. */
export const AccessPlace = Type.Object({ createdAt: Type.Integer(), id: Type.Integer() });
export type AccessPlace = Static<typeof AccessPlace>;

export const AccessEntry = Type.Composite([
  AccessPlace,
  Type.Omit(AccessEvent, ['at', 'requests', 'viewed']),
  Type.Object({ requests: Type.Integer({ minimum: 1 }) }),
]);
export type AccessEntry = Static<typeof AccessEntry>;

/**
 * Most entries in one reply: 250 of the longest there can be (services/analytics/operations/write-access-batches.ts) fit in
 * a message.
 */
export const ACCESS_ENTRIES_PER_REPLY = 250;

/** Entries of the log, newest first. */
export const listAccess = defineOperation({
  subject: 'analytics.list-access',
  input: Type.Object({
    filter: AccessFilter,
    after: nullable(AccessPlace),
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: ACCESS_ENTRIES_PER_REPLY }),
    /** Whether `total` is wanted, too. */
    counted: Type.Boolean(),
  }),
  reply: Type.Object({
    items: Type.Array(AccessEntry),
    /** Whether older ones follow. */
    more: Type.Boolean(),
    /** All requests that pass the filter, wherever the page begins. */
    total: nullable(Type.Object({ count: Type.Integer(), isLowerBound: Type.Boolean() })),
  }),
  timeoutMs: 12_000,
  retry: false,
});

/** Durations in ms; `null` when there were no requests. */
const Latency = Type.Object({
  p50: nullable(Type.Number()),
  p95: nullable(Type.Number()),
  p99: nullable(Type.Number()),
});

/** Requests over time. `filter` has both `from` and `to`. */
export const chartAccess = defineOperation({
  subject: 'analytics.chart-access',
  input: Type.Object({
    filter: AccessFilter,
    /** A moment with which a bucket begins, before any that is asked for. */
    origin: Type.Integer(),
    bucketMs: Type.Integer({ minimum: 60_000 }),
  }),
  reply: Type.Object({
    /** Buckets with requests, oldest first; each by its first ms. */
    buckets: Type.Array(
      Type.Object({
        at: Type.Integer(),
        requests: Type.Integer(),
        /** Answered 4xx. */
        refused: Type.Integer(),
        /** Answered 5xx. */
        failed: Type.Integer(),
      }),
    ),
    latency: Latency,
    /** Whether only the newest entries were looked at, as there are too many. */
    isLowerBound: Type.Boolean(),
  }),
  timeoutMs: 12_000,
  retry: false,
});

const counted = <T extends TSchema>(schema: T) =>
  Type.Array(Type.Object({ value: schema, requests: Type.Integer() }));

/** Summarises the last days (UTC), today being the last of them. */
export const describeAccess = defineOperation({
  subject: 'analytics.describe-access',
  input: Type.Object({ days: Type.Integer({ minimum: 1 }) }),
  reply: Type.Object({
    totalRequests: Type.Integer(),
    uniqueIps: Type.Integer(),
    byStatus: counted(Type.Integer()),
    byMethod: counted(Type.String()),
    latency: Latency,
    /** The most frequent, most first. */
    paths: counted(Type.String()),
    ips: counted(Type.String()),
    userAgents: counted(Type.String()),
    referers: counted(Type.String()),
    /** Hours of the day, 0 to 23; those without requests are left out. */
    hours: counted(Type.Integer()),
    /** Days as `2026-11-21`, oldest first; all of them. */
    days: Type.Array(
      Type.Object({ date: Type.String(), requests: Type.Integer(), uniqueIps: Type.Integer() }),
    ),
  }),
  timeoutMs: 12_000,
  retry: false,
});
