import { Type } from '@sinclair/typebox';
import { defineOperation } from './operation.ts';

/** Days of an item's history in one answer at most, the running one included. */
export const MAX_HISTORY_DAYS = 90;

/** The views of one item over time, of the days (UTC) up to the running one, from the roll-ups of the access log. */
export const describeItemViews = defineOperation({
  subject: 'analytics.item-views',
  input: Type.Object({
    /** The item's short code: another item at its address has another one. */
    code: Type.String(),
    /** When the item was created, in ms since the epoch: there is nothing before. */
    createdAt: Type.Integer(),
    days: Type.Integer({ minimum: 1, maximum: MAX_HISTORY_DAYS }),
  }),
  reply: Type.Object({
    at: Type.Integer({ description: 'milliseconds since the epoch' }),
    /** The last 24 hours up to the running one, oldest first, by their first ms. */
    hours: Type.Array(Type.Object({ at: Type.Integer(), views: Type.Integer() })),
    /** Days as `2026-11-21`, oldest first: since the item was created, as far back as the log is kept. */
    days: Type.Array(Type.Object({ date: Type.String(), views: Type.Integer() })),
    /** The hosts that sent most readers on those days, most first. */
    referers: Type.Array(Type.Object({ host: Type.String(), views: Type.Integer() })),
    /** Views of those days from further hosts. */
    otherReferers: Type.Integer(),
    /** Views of those days whose reader's client named no page it came from. */
    withoutReferer: Type.Integer(),
  }),
  timeoutMs: 5_000,
  retry: true,
});
