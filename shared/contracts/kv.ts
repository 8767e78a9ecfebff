import { type Static, Type } from '@sinclair/typebox';
import { KvContent } from '../items/content.ts';
import { Entry } from '../items/entry.ts';
import type { Failure } from './call.ts';
import { CREATE_FIELDS, CREATED_FIELDS } from './create.ts';
import { describedItem, ItemAddress, OwnedItemAddress, OwnerListInput } from './items.ts';
import { defineOperation } from './operation.ts';

const KvItem = describedItem(KvContent);

/** A value on its way in: JSON text, and its size as the limit counts it (a string's own bytes). */
const NewValue = { key: Type.String(), value: Type.String(), sizeBytes: Type.Integer({ minimum: 0 }) };

/** ETags, without quotes, one of which the key must have; `[]`: the key must be there; `null`: no condition. */
const IfMatch = Type.Union([Type.Array(Type.String()), Type.Null()]);

export const createKv = defineOperation({
  subject: 'kv.create-kv',
  input: Type.Object({ ...CREATE_FIELDS, entry: Type.Object(NewValue) }),
  reply: Type.Object({ ...CREATED_FIELDS, item: KvItem }),
  timeoutMs: 8_000,
  retry: true,
  writes: true,
});

/** The result of a write: the entry without its value. */
const WrittenEntry = Type.Omit(Entry, ['value']);

/** Not repeated after a lost reply: another's value may have come in between. */
export const putEntry = defineOperation({
  subject: 'kv.put-entry',
  input: Type.Object({
    ...OwnedItemAddress,
    ...NewValue,
    ifMatch: IfMatch,
    /** The key must not be there. */
    ifAbsent: Type.Boolean(),
  }),
  reply: Type.Object({ entry: WrittenEntry, created: Type.Boolean(), expiresAt: Type.Integer() }),
  timeoutMs: 8_000,
  retry: false,
  writes: true,
  gather: true,
});

/** The most writes that `replaceEntries` takes. */
export const MAX_REPLACED = 64;

/**
 * Replaces the values of keys that are there, without conditions, each by itself: one outcome for each write, in their
 * order. No row is waited for, nor another write of the key, unless all writes are of one key: a value that cannot be
 * replaced at once is left to `putEntry` (`null`).
 */
export const replaceEntries = defineOperation({
  subject: 'kv.replace-entries',
  input: Type.Object({
    writes: Type.Array(Type.Object({ ...OwnedItemAddress, ...NewValue }), {
      minItems: 1,
      maxItems: MAX_REPLACED,
    }),
  }),
  reply: Type.Object({
    outcomes: Type.Array(
      Type.Union([
        Type.Object({ entry: WrittenEntry, expiresAt: Type.Integer() }),
        Type.Object({ failure: Type.Unsafe<Failure>(Type.Object({ code: Type.String() })) }),
        Type.Null(),
      ]),
    ),
  }),
  timeoutMs: 8_000,
  retry: false,
  writes: true,
});

/** A change that depends on the value before it. */
export const ValueChange = Type.Union([
  /** Adds to a whole number. */
  Type.Object({
    kind: Type.Literal('increment'),
    by: Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  }),
  /** Adds a text to the end of a text, or any value to the end of a list; `sizeBytes` is that of `NewValue`. */
  Type.Object({
    kind: Type.Literal('append'),
    value: Type.String(),
    sizeBytes: Type.Integer({ minimum: 0 }),
  }),
]);
export type ValueChange = Static<typeof ValueChange>;

/**
 * Applies an increment or an append to a value, atomically. A key that is not there is made: from 0, or as a list. Repeated only under an
 * idempotency key, by the client.
 */
export const changeEntry = defineOperation({
  subject: 'kv.change-entry',
  input: Type.Object({
    ...OwnedItemAddress,
    key: Type.String(),
    change: ValueChange,
    ifMatch: IfMatch,
    ifAbsent: Type.Boolean(),
    /** Idempotency key of the request; `null` when the client sent none. */
    idempotency: Type.Union([Type.Object({ key: Type.String(), fingerprint: Type.String() }), Type.Null()]),
  }),
  reply: Type.Object({
    /** The entry as this change made it. */
    entry: WrittenEntry,
    /** The number after an increment. */
    value: Type.Union([Type.Integer(), Type.Null()]),
    created: Type.Boolean(),
    expiresAt: Type.Integer(),
  }),
  timeoutMs: 8_000,
  retry: false,
  writes: true,
  gather: true,
});

/** Which store a reader was let in to: its short code. Another may have its address by now. */
const ReadStore = { ...ItemAddress, store: Type.String() };

/** One value, from the database; `null` when the store or the key is not there. */
export const readEntry = defineOperation({
  subject: 'kv.read-entry',
  input: Type.Object({ ...ReadStore, key: Type.String() }),
  reply: Type.Object({ entry: Type.Union([Entry, Type.Null()]) }),
  timeoutMs: 5_000,
  retry: true,
  gather: true,
});

export const listEntries = defineOperation({
  subject: 'kv.list-entries',
  input: Type.Object({
    ...ReadStore,
    /** Values up to this many bytes come along; 0: none. */
    valuesUpTo: Type.Integer({ minimum: 0, maximum: 4_096 }),
  }),
  reply: Type.Object({
    entries: Type.Array(
      Type.Object({
        ...WrittenEntry.properties,
        value: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
  }),
  timeoutMs: 5_000,
  retry: true,
});

export const removeEntry = defineOperation({
  subject: 'kv.remove-entry',
  input: Type.Object({ ...OwnedItemAddress, key: Type.String(), ifMatch: IfMatch }),
  reply: Type.Object({}),
  timeoutMs: 8_000,
  retry: false,
  writes: true,
});

export const removeKv = defineOperation({
  subject: 'kv.remove-kv',
  input: Type.Object(OwnedItemAddress),
  reply: Type.Object({}),
  /** There can be a gigabyte to remove. */
  timeoutMs: 14_000,
  retry: false,
  writes: true,
});

export const listKv = defineOperation({
  subject: 'kv.list-kv',
  input: OwnerListInput,
  reply: Type.Object({
    /** `updatedAt` and `sizeBytes` are those of the values. */
    items: Type.Array(Type.Composite([KvItem, Type.Object({ keyCount: Type.Integer() })])),
    total: Type.Integer(),
  }),
  timeoutMs: 5_000,
  retry: true,
});

/** Whether the service and its database answer. */
export const pingKv = defineOperation({
  subject: 'kv.ping',
  input: Type.Object({}),
  reply: Type.Object({}),
  timeoutMs: 2_000,
  retry: false,
});
