import { Type } from '@sinclair/typebox';
import { FileContent } from '../items/content.ts';
import { CREATE_FIELDS, CREATED_FIELDS, StoredBlob } from './create.ts';
import { describedItem, guardedRemoval, OwnerListInput } from './items.ts';
import { defineOperation } from './operation.ts';

export const FileItem = describedItem(FileContent);

export const createFile = defineOperation({
  subject: 'content.create-file',
  input: Type.Object({
    ...CREATE_FIELDS,
    filename: Type.String(),
    contentType: Type.String(),
    family: FileContent.properties.family,
    /** Language of a text, for highlighting. */
    language: Type.Union([Type.String(), Type.Null()]),
    blob: StoredBlob,
  }),
  reply: Type.Object({ ...CREATED_FIELDS, item: FileItem }),
  timeoutMs: 8_000,
  retry: true,
  writes: true,
});

export const removeFile = guardedRemoval('content.remove-file');

export const listFiles = defineOperation({
  subject: 'content.list-file',
  input: OwnerListInput,
  reply: Type.Object({ items: Type.Array(FileItem), total: Type.Integer() }),
  timeoutMs: 5_000,
  retry: true,
});
