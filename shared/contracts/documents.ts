import { Type } from '@sinclair/typebox';
import { DocumentContent } from '../items/content.ts';
import { CREATE_FIELDS, CREATED_FIELDS, StoredBlob } from './create.ts';
import { describedItem, OwnedItemAddress, OwnerListInput } from './items.ts';
import { defineOperation } from './operation.ts';

export const DocumentItem = describedItem(DocumentContent);

/** ETags, without quotes, one of which the document must have; `null`: any. */
const IfMatch = Type.Union([Type.Array(Type.String()), Type.Null()]);

export const createDocument = defineOperation({
  subject: 'content.create-document',
  input: Type.Object({ ...CREATE_FIELDS, blob: StoredBlob, excerpt: Type.String() }),
  reply: Type.Object({ ...CREATED_FIELDS, item: DocumentItem }),
  timeoutMs: 8_000,
  retry: true,
  writes: true,
});

export const updateDocument = defineOperation({
  subject: 'content.update-document',
  input: Type.Object({
    ...OwnedItemAddress,
    blob: StoredBlob,
    excerpt: Type.String(),
    ifMatch: IfMatch,
  }),
  reply: DocumentItem,
  timeoutMs: 8_000,
  retry: true,
  writes: true,
});

export const removeDocument = defineOperation({
  subject: 'content.remove-document',
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

export const listDocuments = defineOperation({
  subject: 'content.list-documents',
  input: OwnerListInput,
  reply: Type.Object({ items: Type.Array(DocumentItem), total: Type.Integer() }),
  timeoutMs: 5_000,
  retry: true,
});
