import { Type } from '@sinclair/typebox';
import { HtmlContent, PageFormat } from '../items/content.ts';
import { CREATE_FIELDS, CREATED_FIELDS, StoredBlob } from './create.ts';
import { describedItem, guardedRemoval, IfMatch, OwnedItemAddress, OwnerListInput } from './items.ts';
import { defineOperation } from './operation.ts';

const NullableString = Type.Union([Type.String(), Type.Null()]);

export const HtmlItem = describedItem(HtmlContent);

export const createHtml = defineOperation({
  subject: 'content.create-html',
  input: Type.Object({
    ...CREATE_FIELDS,
    /** Whether the caller brought the token, and no idempotency key: then an earlier post of the owner is looked for. */
    ownerKnown: Type.Boolean(),
    format: PageFormat,
    language: NullableString,
    contentType: Type.String(),
    /** The title found in the content by the gateway; the first heading of markdown is found by its renderer. */
    suggestedTitle: NullableString,
    filename: NullableString,
    showTopBar: Type.Union([Type.Boolean(), Type.Null()]),
    blob: StoredBlob,
  }),
  reply: Type.Object({ ...CREATED_FIELDS, item: HtmlItem, existing: Type.Boolean() }),
  timeoutMs: 8_000,
  retry: true,
  writes: true,
});

export const updateHtml = defineOperation({
  subject: 'content.update-html',
  input: Type.Object({
    ...OwnedItemAddress,
    title: NullableString,
    suggestedTitle: NullableString,
    blob: StoredBlob,
    /** Gateways of an earlier release do not say it. */
    ifMatch: Type.Optional(IfMatch),
  }),
  reply: HtmlItem,
  timeoutMs: 8_000,
  retry: true,
  writes: true,
});

/** Renders a markdown or text page as people would see it, and stores nothing. Not gathered: its messages are large. */
export const previewHtml = defineOperation({
  subject: 'content.preview-html',
  input: Type.Object({
    format: Type.Union([Type.Literal('MARKDOWN'), Type.Literal('TEXT')]),
    language: NullableString,
    title: NullableString,
    filename: NullableString,
    content: Type.String(),
  }),
  reply: Type.Object({ html: Type.String(), title: Type.String() }),
  timeoutMs: 8_000,
  retry: true,
});

/** The page for its owner, for settings and source. */
export const describeHtml = defineOperation({
  subject: 'content.describe-html',
  input: Type.Object(OwnedItemAddress),
  reply: HtmlItem,
  timeoutMs: 3_000,
  retry: true,
});

export const removeHtml = guardedRemoval('content.remove-html');

export const listHtml = defineOperation({
  subject: 'content.list-html',
  input: OwnerListInput,
  reply: Type.Object({ items: Type.Array(HtmlItem), total: Type.Integer() }),
  timeoutMs: 5_000,
  retry: true,
});
