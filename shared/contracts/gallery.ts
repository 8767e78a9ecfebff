import { type Static, Type } from '@sinclair/typebox';
import { KINDS } from '../items/item.ts';
import { defineOperation } from './operation.ts';

/** Orders of the gallery; in a search, the order of equally good matches. */
export const GALLERY_SORTS = ['date', 'views'] as const;
export type GallerySort = (typeof GALLERY_SORTS)[number];

/** A search has at most so many characters. */
export const SEARCH_CHARACTERS = 200;

const Kind = Type.Union(KINDS.map((kind) => Type.Literal(kind)));

/** An item as everybody sees it. */
export const GalleryItem = Type.Object({
  namespace: Type.String(),
  id: Type.String(),
  kind: Kind,
  code: Type.String(),
  /** Empty when it has none. */
  title: Type.String(),
  tags: Type.Array(Type.String()),
  /** Bytes of the content; those of all values of a store together. */
  sizeBytes: Type.Integer(),
  /** Views as last saved; the cache knows of later ones. */
  views: Type.Integer(),
  createdAt: Type.Integer(),
  expiresAt: Type.Integer(),
  /** The blob of its content; `null`: it has none. */
  source: Type.Union([Type.String(), Type.Null()]),
  /** The blob of its small picture, made of that content; `null`: it has none. */
  picture: Type.Union([
    Type.Object({ key: Type.String(), width: Type.Integer(), height: Type.Integer() }),
    Type.Null(),
  ]),
});
export type GalleryItem = Static<typeof GalleryItem>;

/** Which items of the gallery are asked for. */
const GALLERY_QUERY = {
  /** Words of a search as people write them; `null`: no search. */
  search: Type.Union([Type.String(), Type.Null()]),
  kind: Type.Union([Kind, Type.Null()]),
  tag: Type.Union([Type.String(), Type.Null()]),
  sort: Type.Union(GALLERY_SORTS.map((sort) => Type.Literal(sort))),
  offset: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
};

const GalleryPage = Type.Object({
  items: Type.Array(GalleryItem),
  total: Type.Integer(),
  /** Whether more items may match a search than the `total` that were ranked. */
  totalIsLowerBound: Type.Optional(Type.Boolean()),
});

/** Listed items (public, without a password, not expired): one page of them, and how many there are in all. */
export const listGallery = defineOperation({
  subject: 'content.list-gallery',
  input: Type.Object(GALLERY_QUERY),
  reply: GalleryPage,
  timeoutMs: 6_000,
  // A search that took too long would only take longer with itself beside it.
  retry: false,
});

/** `listGallery` among the items of one owner, of every namespace, listed or not. */
export const listOwnGallery = defineOperation({
  subject: 'content.list-own-gallery',
  input: Type.Object({ ...GALLERY_QUERY, ownerHash: Type.String() }),
  reply: GalleryPage,
  timeoutMs: 6_000,
  retry: false,
});

/** How many items are listed. */
export const countListed = defineOperation({
  subject: 'content.count-listed',
  input: Type.Object({}),
  reply: Type.Object({ total: Type.Integer() }),
  timeoutMs: 6_000,
  retry: true,
});

/** Where a walk through all listed items goes on: behind the one created then, of that id. */
const WalkCursor = Type.Object({ createdAt: Type.Integer(), id: Type.String() });

/** The addresses of listed items, oldest first: what is new comes last, so parts of the walk stay what they are. */
export const walkListed = defineOperation({
  subject: 'content.walk-listed',
  input: Type.Object({
    after: Type.Union([WalkCursor, Type.Null()]),
    /** Items passed over behind the cursor. */
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: 5_000 }),
  }),
  reply: Type.Object({
    items: Type.Array(
      Type.Object({ id: Type.String(), createdAt: Type.Integer(), updatedAt: Type.Integer() }),
    ),
  }),
  timeoutMs: 6_000,
  retry: true,
});
