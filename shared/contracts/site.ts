import { Type } from '@sinclair/typebox';
import { SiteContent } from '../items/content.ts';
import { CREATE_FIELDS, CREATED_FIELDS } from './create.ts';
import { describedItem, OwnedItemAddress, OwnerListInput } from './items.ts';
import { defineOperation } from './operation.ts';

export const SiteItem = describedItem(SiteContent);

/** A packed site as the gateway has stored it: all files in one blob, their places in another. */
export const PackedSite = Type.Object({
  entryFile: Type.String(),
  fileCount: Type.Integer({ minimum: 1 }),
  totalSizeBytes: Type.Integer({ minimum: 0 }),
  blobKey: Type.String(),
  indexKey: Type.String(),
  /** ETags of all its files, that of the entry file first. Earlier releases do not tell. */
  fileEtags: Type.Optional(Type.Array(Type.String())),
});

export const createSite = defineOperation({
  subject: 'site.create-site',
  input: Type.Object({ ...CREATE_FIELDS, packed: PackedSite, suggestedTitle: Type.String() }),
  reply: Type.Object({ ...CREATED_FIELDS, item: SiteItem }),
  timeoutMs: 8_000,
  retry: true,
  writes: true,
});

export const replaceSite = defineOperation({
  subject: 'site.replace-site',
  input: Type.Object({
    ...OwnedItemAddress,
    packed: PackedSite,
    /** A setting that is left out stays as it is; an earlier release does not send these. */
    tags: Type.Optional(Type.Array(Type.String())),
    ttlDays: Type.Optional(Type.Integer({ minimum: 1 })),
    title: Type.Optional(Type.String()),
    /** Title of the new entry file, which counts unless the owner has given one. */
    suggestedTitle: Type.Optional(Type.String()),
    /**
     * The index of the files by which the gateway has decided whether their entry file stays. When other ones are there the
     * service refuses, with PRECONDITION_FAILED. Left out when the request names an entry file, and by an earlier release.
     */
    replacedIndexKey: Type.Optional(Type.String()),
  }),
  reply: SiteItem,
  timeoutMs: 8_000,
  retry: true,
  writes: true,
});

export const removeSite = defineOperation({
  subject: 'site.remove-site',
  input: Type.Object(OwnedItemAddress),
  reply: Type.Object({}),
  timeoutMs: 8_000,
  retry: false,
  writes: true,
});

export const listSites = defineOperation({
  subject: 'site.list-site',
  input: OwnerListInput,
  reply: Type.Object({ items: Type.Array(SiteItem), total: Type.Integer() }),
  timeoutMs: 5_000,
  retry: true,
});

/** Whether the service and its database answer. */
export const pingSite = defineOperation({
  subject: 'site.ping',
  input: Type.Object({}),
  reply: Type.Object({}),
  timeoutMs: 2_000,
  retry: false,
});
