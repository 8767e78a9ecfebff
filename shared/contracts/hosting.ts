import { Type } from '@sinclair/typebox';
import { DeliveryMode, ITEM_LABEL } from '../items/delivery-mode.ts';
import { KINDS } from '../items/item.ts';
import { LiveItemRecord } from '../items/item-record.ts';
import { ItemAddress, OwnedItemAddress } from './items.ts';
import { defineOperation } from './operation.ts';

/** Finds the address of the item whose host has a label; `null` for a label that no item has, or had in `public`. */
export const resolveLabel = defineOperation({
  subject: 'content.resolve-label',
  input: Type.Object({ label: Type.String({ pattern: ITEM_LABEL.source }) }),
  reply: Type.Object({ item: Type.Union([Type.Object(ItemAddress), Type.Null()]) }),
  timeoutMs: 3_000,
  retry: true,
});

/** Gives a live item a host of its own, unless it has one, and returns its record. */
export const labelItem = defineOperation({
  subject: 'content.label-item',
  input: Type.Object(ItemAddress),
  reply: Type.Object({ record: LiveItemRecord }),
  timeoutMs: 5_000,
  retry: true,
});

/** Sets where its owner wants an item served. */
export const setDeliveryMode = defineOperation({
  subject: 'content.set-delivery-mode',
  input: Type.Object({
    ...OwnedItemAddress,
    kind: Type.Union(KINDS.map((kind) => Type.Literal(kind))),
    deliveryMode: DeliveryMode,
    /** The `hostingVersion` that the caller has seen. */
    expectedVersion: Type.Integer(),
    /** Whether it gets a host of its own. */
    labelled: Type.Boolean(),
  }),
  reply: Type.Object({ record: LiveItemRecord }),
  timeoutMs: 5_000,
  retry: false,
  writes: true,
});
