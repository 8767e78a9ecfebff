import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { DeliveryMode } from '../items/delivery-mode.ts';
import { QuarantineState } from '../items/quarantine.ts';
import { defineOperation } from './operation.ts';

/** Address of an item, in every contract. */
export const ItemAddress = { namespace: Type.String(), id: Type.String() };

/** Address of an item, and the owner that it must have. */
export const OwnedItemAddress = { ...ItemAddress, ownerHash: Type.String() };

/** ETags, without quotes, one of which the content must have; `null`: any. */
export const IfMatch = Type.Union([Type.Array(Type.String()), Type.Null()]);

/** The removal of an item of a kind whose content has one ETag. */
export const guardedRemoval = (subject: string) =>
  defineOperation({
    subject,
    input: Type.Object({
      ...OwnedItemAddress,
      /** Gateways of an earlier release do not say it. */
      ifMatch: Type.Optional(IfMatch),
    }),
    reply: Type.Object({}),
    timeoutMs: 8_000,
    retry: false,
    writes: true,
  });

const DESCRIBED = {
  ...ItemAddress,
  code: Type.String(),
  title: Type.String(),
  tags: Type.Array(Type.String()),
  ttlDays: Type.Integer(),
  hasPassword: Type.Boolean(),
  sizeBytes: Type.Integer(),
  excerpt: Type.Union([Type.String(), Type.Null()]),
  /** Views as last saved; the cache knows of later ones. */
  views: Type.Integer(),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
  expiresAt: Type.Integer(),
  /** Left out of an item that is not in quarantine. */
  quarantine: Type.Optional(QuarantineState),
  /** Earlier releases do not tell. */
  hosting: Type.Optional(
    Type.Object({
      deliveryMode: Type.Union([DeliveryMode, Type.Null()]),
      label: Type.Union([Type.String(), Type.Null()]),
      hostingVersion: Type.Integer(),
    }),
  ),
};

/** An item as its owner sees it. */
export const describedItem = <Content extends TSchema>(content: Content) =>
  Type.Object({ ...DESCRIBED, content });

/** The fields of every described item, whatever its content. */
export const AnyDescribedItem = describedItem(Type.Unknown());
export type AnyDescribedItem = Static<typeof AnyDescribedItem>;

/** A page of an owner's list: behind `after`, then `offset` more are left out. */
export const OwnerListInput = Type.Object({
  namespace: Type.String(),
  ownerHash: Type.String(),
  after: Type.Union([Type.Object({ createdAt: Type.Integer(), id: Type.String() }), Type.Null()]),
  offset: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: 1000 }),
});
export type OwnerListInput = Static<typeof OwnerListInput>;
