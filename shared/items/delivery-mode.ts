import { type Static, Type } from '@sinclair/typebox';

/** Where an item is served: at its path on the service's host, or on a host of its own (a subdomain). */
export const DELIVERY_MODES = ['path', 'subdomain'] as const;
export const DeliveryMode = Type.Union(DELIVERY_MODES.map((mode) => Type.Literal(mode)));
export type DeliveryMode = Static<typeof DeliveryMode>;

/** The label of an item's own host. */
export const ITEM_LABEL = /^[a-z0-9]{26}$/;

/** How a new item is served. */
export const Hosting = Type.Object({
  /** Where its owner wants it; `null`: the owner has not said. */
  deliveryMode: Type.Union([DeliveryMode, Type.Null()]),
  /** Whether it gets a host of its own at once. */
  labelled: Type.Boolean(),
});
export type Hosting = Static<typeof Hosting>;
