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
