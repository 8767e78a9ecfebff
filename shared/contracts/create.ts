import { type Static, Type } from '@sinclair/typebox';

/** A blob that intake has stored, as the claim check that travels instead of its bytes. */
export const StoredBlob = Type.Object({
  key: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  sha256: Type.String(),
});
export type StoredBlob = Static<typeof StoredBlob>;

/** What makes two attempts one create, and a digest of the request that tells a key used twice for two things. */
export const Receipt = Type.Object({ key: Type.String(), fingerprint: Type.String() });
export type Receipt = Static<typeof Receipt>;
