import { type Static, Type } from '@sinclair/typebox';

/** The value of one key of a store. */
export const Entry = Type.Object({
  key: Type.String(),
  /** JSON text. */
  value: Type.String(),
  sizeBytes: Type.Integer(),
  /** Counts the values this key has had, from 1. */
  version: Type.Integer(),
  /** Grows with every change of any key, also over removal and re-creation. */
  sequence: Type.Integer(),
  updatedAt: Type.Integer(),
});
export type Entry = Static<typeof Entry>;

/** The cache's record of one key: its value, or that it was removed. Of two records the higher sequence wins. */
export interface CachedEntry {
  /** The short code of the store the record belongs to: an earlier store may have had the same address. */
  store: string;
  key: string;
  sequence: number;
  /** `null`: the key was removed, or its value is too large to be kept; the service knows. */
  entry: Entry | null;
}

/** Values up to this size, in bytes of JSON text, are kept in the cache; larger ones are read from the service. */
export const CACHED_VALUE_BYTES = 65_536;
