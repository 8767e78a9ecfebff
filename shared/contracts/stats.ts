import { type Static, Type } from '@sinclair/typebox';
import { KINDS } from '../items/item.ts';
import { defineOperation } from './operation.ts';

/** All-time totals of a kind, either of the listed items or of the others. */
export const KindTotals = Type.Object({
  kind: Type.Union(KINDS.map((kind) => Type.Literal(kind))),
  /** Listed: in the namespace `public`, without a password. */
  public: Type.Boolean(),
  created: Type.Integer(),
  createdToday: Type.Integer(),
  /** Removed or expired. */
  deleted: Type.Integer(),
  deletedToday: Type.Integer(),
  views: Type.Integer(),
  viewsToday: Type.Integer(),
  /** Stored at present. Of values all are told with the items that are not listed. */
  bytes: Type.Integer(),
});
export type KindTotals = Static<typeof KindTotals>;

/** The totals of the service, at most a second old. */
export const readStats = defineOperation({
  subject: 'analytics.stats',
  input: Type.Object({
    todayFrom: Type.Integer({ description: 'when today began: a quarter of an hour, in ms since the epoch' }),
  }),
  reply: Type.Object({
    /** Without the kinds that nothing has happened to. */
    totals: Type.Array(KindTotals),
    at: Type.Integer({ description: 'milliseconds since the epoch' }),
  }),
  timeoutMs: 5_000,
  retry: true,
});

/** How far back a history goes. */
export const HISTORY_RANGES = ['24h', '7d', '30d'] as const;
export type HistoryRange = (typeof HISTORY_RANGES)[number];

const KindHistory = Type.Object({
  kind: Type.Union(KINDS.map((kind) => Type.Literal(kind))),
  created: Type.Integer(),
  deleted: Type.Integer(),
  views: Type.Integer(),
  /** Stored at the end of the span, or now in the running one. */
  bytes: Type.Integer(),
});

/** The figures of equal spans of time up to now, at most a second old. */
export const readHistory = defineOperation({
  subject: 'analytics.history',
  input: Type.Object({ range: Type.Union(HISTORY_RANGES.map((range) => Type.Literal(range))) }),
  reply: Type.Object({
    /** Length of a span, in ms. */
    spanMs: Type.Integer(),
    /** Oldest first, by their first ms; the last one is running. Each has all kinds. */
    spans: Type.Array(Type.Object({ at: Type.Integer(), kinds: Type.Array(KindHistory) })),
    at: Type.Integer({ description: 'milliseconds since the epoch' }),
  }),
  timeoutMs: 5_000,
  retry: true,
});

/** Whether the service and its database answer. */
export const pingAnalytics = defineOperation({
  subject: 'analytics.ping',
  input: Type.Object({}),
  reply: Type.Object({}),
  timeoutMs: 2_000,
  retry: false,
});
