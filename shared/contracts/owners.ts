import { type Static, Type } from '@sinclair/typebox';
import { KINDS, LIMITS } from '../items/item.ts';
import { ACTED } from './audit.ts';
import { AnyDescribedItem, ItemAddress, OwnedItemAddress } from './items.ts';
import { defineOperation } from './operation.ts';

const ItemKind = Type.Union(KINDS.map((kind) => Type.Literal(kind)));

/** Items in one list at most: the longest thousand fit into a message. */
export const OWNED_ITEMS_PER_PAGE = 1_000;

/** An item among those of other kinds, without what its kind adds. */
export const OwnedItem = Type.Object({
  ...Type.Omit(AnyDescribedItem, ['content', 'excerpt']).properties,
  kind: ItemKind,
});
export type OwnedItem = Static<typeof OwnedItem>;

/** Lists the items of one owner in all namespaces, newest first. */
export const listOwnedItems = defineOperation({
  subject: 'content.list-owned-items',
  input: Type.Object({
    ownerHash: Type.String(),
    kind: Type.Union([ItemKind, Type.Null()]),
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: OWNED_ITEMS_PER_PAGE }),
  }),
  reply: Type.Object({ items: Type.Array(OwnedItem), total: Type.Integer() }),
  timeoutMs: 8_000,
  retry: true,
});

/** Counts an item's time to live anew. Not repeated after a lost reply: another renewal may have come in between. */
export const renewItem = defineOperation({
  subject: 'content.renew-item',
  input: Type.Object({
    ...OwnedItemAddress,
    /** `null`: as many as the item was given last. */
    ttlDays: Type.Union([
      Type.Integer({ minimum: LIMITS.ttlDaysMin, maximum: LIMITS.privilegedTtlDaysMax }),
      Type.Null(),
    ]),
  }),
  reply: Type.Object({ ttlDays: Type.Integer(), expiresAt: Type.Integer() }),
  timeoutMs: 8_000,
  retry: false,
  writes: true,
});

/** Removes an item of whatever kind in the operator's name. */
export const takeDownItem = defineOperation({
  subject: 'content.take-down-item',
  input: Type.Object({
    ...ItemAddress,
    /** Whether its content may not be stored again for some time. Gateways of earlier releases do not say it. */
    blockContent: Type.Optional(Type.Boolean()),
    /** Address of whoever sent the admin password, for the log. */
    clientIp: Type.String(),
    ...ACTED,
  }),
  reply: Type.Object({ kind: ItemKind }),
  timeoutMs: 8_000,
  retry: false,
  writes: true,
});
