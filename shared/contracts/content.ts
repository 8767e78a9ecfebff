import { Type } from '@sinclair/typebox';
import { PageFormat, Route } from '../items/route.ts';
import { Receipt, StoredBlob } from './create.ts';
import { defineOperation } from './operation.ts';

const Nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Boolean>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const ItemRefFields = { namespace: Type.String(), id: Type.String() };

/** A page as its owner sees it. */
export const PageItem = Type.Object({
  ...ItemRefFields,
  code: Type.String(),
  format: PageFormat,
  title: Type.String(),
  filename: Nullable(Type.String()),
  showTopBar: Nullable(Type.Boolean()),
  tags: Type.Array(Type.String()),
  ttlDays: Type.Integer(),
  hasPassword: Type.Boolean(),
  sizeBytes: Type.Integer(),
  blobKey: Type.String(),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
  expiresAt: Type.Integer(),
});

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

export const createPage = defineOperation({
  subject: 'content.create-page',
  input: Type.Object({
    namespace: Type.String(),
    /** `null`: the service chooses one. */
    id: Nullable(Type.String()),
    ownerHash: Type.String(),
    /** Whether the caller brought the token, so that an earlier post of the same owner can exist. */
    ownerKnown: Type.Boolean(),
    passwordHash: Nullable(Type.String()),
    tags: Type.Array(Type.String()),
    ttlDays: Type.Integer(),
    format: PageFormat,
    language: Nullable(Type.String()),
    contentType: Type.String(),
    /** What the caller named the page. */
    title: Nullable(Type.String()),
    /** What the page calls itself, as far as intake can tell; markdown's first heading is found by its renderer. */
    suggestedTitle: Nullable(Type.String()),
    filename: Nullable(Type.String()),
    showTopBar: Nullable(Type.Boolean()),
    blob: StoredBlob,
    /** The same for every attempt at one create: a second attempt gets the first one's item. */
    receipt: Receipt,
  }),
  reply: Type.Object({ item: PageItem, existing: Type.Boolean() }),
  timeoutMs: 8_000,
  retry: true,
});

export const updatePage = defineOperation({
  subject: 'content.update-page',
  input: Type.Object({
    ...ItemRefFields,
    ownerHash: Type.String(),
    title: Nullable(Type.String()),
    suggestedTitle: Nullable(Type.String()),
    blob: StoredBlob,
  }),
  reply: PageItem,
  timeoutMs: 8_000,
  retry: true,
});

/** The page for its owner, for settings and source. */
export const describePage = defineOperation({
  subject: 'content.describe-page',
  input: Type.Object({ ...ItemRefFields, ownerHash: Type.String() }),
  reply: PageItem,
  timeoutMs: 3_000,
  retry: true,
});

export const removePage = defineOperation({
  subject: 'content.remove-page',
  input: Type.Object({ ...ItemRefFields, ownerHash: Type.String() }),
  reply: Type.Object({}),
  timeoutMs: 5_000,
  retry: false,
});

/** What is at `/{ns}/{id}`; `null` when nothing is and nothing is known to have been. */
export const resolveItem = defineOperation({
  subject: 'content.resolve-item',
  input: Type.Object(ItemRefFields),
  reply: Type.Object({ route: Type.Union([Route, Type.Null()]) }),
  timeoutMs: 3_000,
  retry: true,
});

export const resolveCode = defineOperation({
  subject: 'content.resolve-code',
  input: Type.Object({ code: Type.String() }),
  reply: Type.Union([
    Type.Object({ state: Type.Literal('live'), ...ItemRefFields }),
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

/** Why somebody reports an item (shapes.md, "reports"). */
export const REPORT_CATEGORIES = [
  ...(['spam', 'phishing', 'malware', 'copyright'] as const),
  ...(['harassment', 'illegal', 'cannot_delete', 'other'] as const),
];

export const submitReport = defineOperation({
  subject: 'content.submit-report',
  input: Type.Object({
    reportedUrl: Type.String(),
    category: Type.Union(REPORT_CATEGORIES.map((category) => Type.Literal(category))),
    description: Type.String(),
    reporterEmail: Nullable(Type.String()),
    namespace: Nullable(Type.String()),
    id: Nullable(Type.String()),
    /** The same for every attempt at one report. */
    reportId: Type.String(),
  }),
  reply: Type.Object({ reportId: Type.String(), receivedAt: Type.Integer() }),
  timeoutMs: 3_000,
  retry: true,
});
