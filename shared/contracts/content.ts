import { Type } from '@sinclair/typebox';
import { KINDS } from '../items/item.ts';
import { ItemRecord } from '../items/item-record.ts';
import { ItemAddress } from './items.ts';
import { defineOperation } from './operation.ts';

/** Keys for blobs about to be written, each already registered for deletion in case its upload comes to nothing. */
export const reserveBlobs = defineOperation({
  subject: 'content.reserve-blobs',
  input: Type.Object({ count: Type.Integer({ minimum: 1, maximum: 256 }) }),
  reply: Type.Object({
    keys: Type.Array(Type.String()),
    /** Milliseconds the keys may be used, counted from the request: after that the sweeper takes them. */
    validMs: Type.Integer(),
  }),
  timeoutMs: 3_000,
  retry: true,
});

/** Keys of blobs: of one reservation at the most. */
const BlobKeys = Type.Object({ keys: Type.Array(Type.String(), { minItems: 1, maxItems: 256 }) });

/** More time for reserved keys whose blobs are still being written. */
export const extendBlobs = defineOperation({
  subject: 'content.extend-blobs',
  input: BlobKeys,
  reply: Type.Object({}),
  timeoutMs: 3_000,
  retry: true,
});

/** Has blobs removed that came when their reservation was over, and that no item will have. */
export const trashBlobs = defineOperation({
  subject: 'content.trash-blobs',
  input: BlobKeys,
  reply: Type.Object({}),
  timeoutMs: 3_000,
  retry: true,
});

/** Finds the item at `/{ns}/{id}`; `null` when there is none, and none is known to have been there. */
export const resolveItem = defineOperation({
  subject: 'content.resolve-item',
  input: Type.Object(ItemAddress),
  reply: Type.Object({ record: Type.Union([ItemRecord, Type.Null()]) }),
  timeoutMs: 3_000,
  retry: true,
});

export const resolveCode = defineOperation({
  subject: 'content.resolve-code',
  input: Type.Object({ code: Type.String() }),
  reply: Type.Union([
    Type.Object({
      state: Type.Literal('live'),
      ...ItemAddress,
      /** Processes of an earlier release do not say it. */
      kind: Type.Optional(Type.Union(KINDS.map((kind) => Type.Literal(kind)))),
    }),
    Type.Object({ state: Type.Literal('gone') }),
    Type.Object({ state: Type.Literal('missing') }),
  ]),
  timeoutMs: 3_000,
  retry: true,
});

/** Whether the service and its database answer. */
export const pingContent = defineOperation({
  subject: 'content.ping',
  input: Type.Object({}),
  reply: Type.Object({}),
  timeoutMs: 2_000,
  retry: false,
});

/** Which of some namespaces have no item at that moment, in their order. */
export const findUnusedNamespaces = defineOperation({
  subject: 'content.find-unused-namespaces',
  input: Type.Object({ candidates: Type.Array(Type.String(), { minItems: 1, maxItems: 64 }) }),
  reply: Type.Object({ unused: Type.Array(Type.String()) }),
  timeoutMs: 3_000,
  retry: true,
});
