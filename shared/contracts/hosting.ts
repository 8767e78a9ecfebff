import { Type } from '@sinclair/typebox';
import { ITEM_LABEL } from '../items/delivery-mode.ts';
import { LiveItemRecord } from '../items/item-record.ts';
import { ItemAddress } from './items.ts';
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
