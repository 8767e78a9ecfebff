import { type Static, Type } from '@sinclair/typebox';
import { Hosting } from '../items/delivery-mode.ts';

/** A blob that the gateway has stored, as the claim check that travels instead of its bytes. */
export const StoredBlob = Type.Object({
  key: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  sha256: Type.String(),
});
export type StoredBlob = Static<typeof StoredBlob>;

/**
 * The idempotency key of a create, and a fingerprint of its request, which tells when one key is used for two requests.
 */
export const IdempotencyRecord = Type.Object({
  key: Type.String(),
  fingerprint: Type.String(),
  /** Salt of this attempt; kept when it is the one that makes the item. */
  salt: Type.Optional(Type.String()),
});
export type IdempotencyRecord = Static<typeof IdempotencyRecord>;

/** Fields in the reply of every create: the salt of the attempt that made the item. `null`: it has none. */
export const CREATED_FIELDS = { idempotencySalt: Type.Optional(Type.Union([Type.String(), Type.Null()])) };
export type IdempotencySalt = string | null | undefined;

/** Fields of the create of every kind. */
export const CREATE_FIELDS = {
  namespace: Type.String(),
  /** `null`: the service chooses one. */
  id: Type.Union([Type.String(), Type.Null()]),
  ownerHash: Type.String(),
  passwordHash: Type.Union([Type.String(), Type.Null()]),
  tags: Type.Array(Type.String()),
  ttlDays: Type.Integer(),
  /** The title that the caller gave. */
  title: Type.Union([Type.String(), Type.Null()]),
  /** Where it came from, as the gateway saw it. Earlier releases do not tell. */
  sender: Type.Optional(
    Type.Object({ clientIp: Type.String(), userAgent: Type.Union([Type.String(), Type.Null()]) }),
  ),
  /** Where it is served. Earlier releases do not tell. */
  hosting: Type.Optional(Hosting),
  /** Equal in every attempt at one create: a second attempt gets the first one's item. */
  idempotency: IdempotencyRecord,
};
const CreateInput = Type.Object(CREATE_FIELDS);
export type CreateInput = Static<typeof CreateInput>;
