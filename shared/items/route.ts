import { type Static, Type } from '@sinclair/typebox';
import { DocumentContent, FileContent, PageContent, SiteContent, StoreContent } from './content.ts';
import type { Kind } from './item.ts';

const RouteBase = {
  namespace: Type.String(),
  id: Type.String(),
  /** Grows with every change of any item, and over removal and re-creation: the newer record wins. */
  version: Type.Integer(),
  expiresAt: Type.Integer({ description: 'milliseconds since the epoch' }),
};

const LiveBase = {
  ...RouteBase,
  state: Type.Literal('live'),
  /** The short code; also tells this item from an earlier one under the same address. */
  code: Type.String(),
  title: Type.String(),
  tags: Type.Array(Type.String()),
  sizeBytes: Type.Integer(),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
  ownerHash: Type.String(),
  passwordHash: Type.Union([Type.String(), Type.Null()]),
  /** Views the database knows of: where counting goes on after the cache was lost. Earlier releases do not tell. */
  savedViews: Type.Optional(Type.Integer()),
};

/** All a gateway needs to answer reads of an item and to tell its owner, without asking the database. */
export const LiveRoute = Type.Union([
  Type.Object({ ...LiveBase, kind: Type.Literal('html'), content: PageContent }),
  Type.Object({ ...LiveBase, kind: Type.Literal('json'), content: DocumentContent }),
  Type.Object({ ...LiveBase, kind: Type.Literal('file'), content: FileContent }),
  Type.Object({ ...LiveBase, kind: Type.Literal('site'), content: SiteContent }),
  Type.Object({ ...LiveBase, kind: Type.Literal('kv'), content: StoreContent }),
]);
export type LiveRoute = Static<typeof LiveRoute>;

/** The live route of one kind. */
export type RouteOf<K extends Kind> = Extract<LiveRoute, { kind: K }>;

/** Stays a while where an item was removed, so that no late cache fill brings the item back. */
export const RemovedRoute = Type.Object({ ...RouteBase, state: Type.Literal('removed') });
export type RemovedRoute = Static<typeof RemovedRoute>;

export const Route = Type.Union([LiveRoute, RemovedRoute]);
export type Route = Static<typeof Route>;

/** How long a removal is remembered in the cache; far longer than any request that may still carry the old route. */
export const REMOVED_ROUTE_MS = 3_600_000;

/** Whether a read counts as a view without further proof. */
export const isOpen = (route: Route): boolean => route.state === 'live' && route.passwordHash === null;

/** Whether there is an item to read or change at that moment (ms since the epoch). */
export const isLive = (route: Route | null, now: number): route is LiveRoute =>
  route?.state === 'live' && route.expiresAt > now;

/** Whether a route is of a kind, for addresses that name one. */
export const isKind = <K extends Kind>(route: LiveRoute, kind: K): route is RouteOf<K> => route.kind === kind;
