import { Type } from '@sinclair/typebox';
import { JsonContent } from '../items/content.ts';
import { CREATE_FIELDS, CREATED_FIELDS, StoredBlob } from './create.ts';
import { describedItem, guardedRemoval, IfMatch, OwnedItemAddress, OwnerListInput } from './items.ts';
import { defineOperation } from './operation.ts';

const JsonItem = describedItem(JsonContent);

export const createJson = defineOperation({
  subject: 'content.create-json',
  input: Type.Object({ ...CREATE_FIELDS, blob: StoredBlob, excerpt: Type.String() }),
  reply: Type.Object({ ...CREATED_FIELDS, item: JsonItem }),
  timeoutMs: 8_000,
  retry: true,
  writes: true,
});

export const updateJson = defineOperation({
  subject: 'content.update-json',
  input: Type.Object({
    ...OwnedItemAddress,
    blob: StoredBlob,
    excerpt: Type.String(),
    ifMatch: IfMatch,
  }),
  reply: JsonItem,
  timeoutMs: 8_000,
  retry: true,
  writes: true,
});

export const removeJson = guardedRemoval('content.remove-json');

export const listJson = defineOperation({
  subject: 'content.list-json',
  input: OwnerListInput,
  reply: Type.Object({ items: Type.Array(JsonItem), total: Type.Integer() }),
  timeoutMs: 5_000,
  retry: true,
});
