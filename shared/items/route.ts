import { type Static, Type } from '@sinclair/typebox';

/** How a page is stored (shapes.md, HTML). */
export const PageFormat = Type.Union([Type.Literal('HTML'), Type.Literal('MARKDOWN'), Type.Literal('TEXT')]);
export type PageFormat = Static<typeof PageFormat>;

/** A page as far as serving it needs. */
export const PageRoute = Type.Object({
  format: PageFormat,
  title: Type.String(),
  filename: Type.Union([Type.String(), Type.Null()]),
  contentType: Type.String(),
  showTopBar: Type.Union([Type.Boolean(), Type.Null()]),
  blobKey: Type.String(),
  /** The page rendered for people; `null` when the stored bytes are the page. */
  viewKey: Type.Union([Type.String(), Type.Null()]),
  sha256: Type.String(),
});
export type PageRoute = Static<typeof PageRoute>;

const RouteBase = {
  namespace: Type.String(),
  id: Type.String(),
  /** Grows with every change of any item, and over removal and re-creation: the newer record wins. */
  version: Type.Integer(),
  expiresAt: Type.Integer({ description: 'milliseconds since the epoch' }),
};

/** All a gateway needs to answer reads of an item and to tell its owner, without asking the database. */
export const LiveRoute = Type.Object({
  ...RouteBase,
  state: Type.Literal('live'),
  kind: Type.Literal('html'),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
  ownerHash: Type.String(),
  passwordHash: Type.Union([Type.String(), Type.Null()]),
  page: PageRoute,
});
export type LiveRoute = Static<typeof LiveRoute>;

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
