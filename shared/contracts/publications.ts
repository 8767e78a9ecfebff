import { type Static, Type } from '@sinclair/typebox';
import { KINDS } from '../items/item.ts';
import { QuarantineState } from '../items/quarantine.ts';
import { ACTED } from './audit.ts';
import { ItemAddress } from './items.ts';
import { defineOperation } from './operation.ts';

const ItemKind = Type.Union(KINDS.map((kind) => Type.Literal(kind)));
const NullableString = Type.Union([Type.String(), Type.Null()]);

/** Whether an item can be read by others than its owner; one that is in quarantine and hidden besides is in quarantine. */
export const ITEM_STATES = ['live', 'hidden', 'quarantined'] as const;
export const ItemState = Type.Union(ITEM_STATES.map((state) => Type.Literal(state)));
export type ItemState = Static<typeof ItemState>;

/** Publications in one list at most. */
export const PUBLICATIONS_PER_PAGE = 200;

/** An item as the operator sees it. */
export const Publication = Type.Object({
  ...ItemAddress,
  kind: ItemKind,
  code: Type.String(),
  title: Type.String(),
  tags: Type.Array(Type.String()),
  hasPassword: Type.Boolean(),
  /** Bytes of the content; those of all values of a store together. */
  sizeBytes: Type.Integer(),
  /** Views as last saved; the cache knows of later ones. */
  views: Type.Integer(),
  ownerId: Type.String(),
  /** Where its create came from; `null` for items of earlier releases. */
  clientIp: NullableString,
  userAgent: NullableString,
  state: ItemState,
  /** State of the quarantine. Earlier releases do not tell. */
  quarantine: Type.Optional(Type.Union([QuarantineState, Type.Null()])),
  /** Names what was found in an item in quarantine, and its content, for a release. Earlier releases do not tell. */
  findingId: Type.Optional(NullableString),
  createdAt: Type.Integer(),
  expiresAt: Type.Integer(),
});
export type Publication = Static<typeof Publication>;

/** Which publications are asked for; `null` leaves a field open. */
export const PublicationFilter = Type.Object({
  kind: Type.Union([ItemKind, Type.Null()]),
  namespace: NullableString,
  id: NullableString,
  state: Type.Union([ItemState, Type.Null()]),
  /** The SHA-256 of the owner's token, in hex. Gateways of earlier releases do not ask by it. */
  ownerId: Type.Optional(NullableString),
  /** Where the create came from. */
  clientIp: Type.Optional(NullableString),
});
export type PublicationFilter = Static<typeof PublicationFilter>;

/** All items that have not expired, private ones too, newest first. */
export const listPublications = defineOperation({
  subject: 'content.list-publications',
  input: Type.Object({
    filter: PublicationFilter,
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: PUBLICATIONS_PER_PAGE }),
  }),
  reply: Type.Object({
    publications: Type.Array(Publication),
    total: Type.Object({ count: Type.Integer(), isLowerBound: Type.Boolean() }),
  }),
  timeoutMs: 6_000,
  retry: false,
});

/** Hides an item, or shows it again. Doing it twice changes nothing more. */
export const hideItem = defineOperation({
  subject: 'content.hide-item',
  input: Type.Object({
    ...ItemAddress,
    hidden: Type.Boolean(),
    /** Address of whoever sent the admin password, for the log. */
    clientIp: Type.String(),
    ...ACTED,
  }),
  reply: Type.Object({
    kind: ItemKind,
    /** Whether it is in quarantine besides, and stays so. Earlier releases do not tell. */
    quarantined: Type.Optional(Type.Boolean()),
  }),
  timeoutMs: 8_000,
  retry: false,
  writes: true,
});
