import { type Static, Type } from '@sinclair/typebox';
import { LIMITS } from '../items/item.ts';
import { ACTED } from './audit.ts';
import { defineOperation } from './operation.ts';

const NullableString = Type.Union([Type.String(), Type.Null()]);

/** Rights of an owner: a privileged one may give items a longer life. */
export const OWNER_TIERS = ['DEFAULT', 'PRIVILEGED'] as const;
const OwnerTier = Type.Union(OWNER_TIERS.map((tier) => Type.Literal(tier)));
export type OwnerTier = Static<typeof OwnerTier>;

/** Owners in one list at most. */
export const OWNERS_PER_PAGE = 200;

/** Owners that the operator's statistics name. */
export const OWNERS_WITH_MOST_ITEMS = 100;

/** An owner and their live items. */
export const OwnerSummary = Type.Object({
  /** The SHA-256 of the token, in hex. */
  ownerId: Type.String(),
  htmlCount: Type.Integer(),
  kvStoreCount: Type.Integer(),
  jsonCount: Type.Integer(),
  fileCount: Type.Integer(),
  siteCount: Type.Integer(),
  storedBytes: Type.Integer(),
  /** When the oldest item was created that is known of. */
  firstSeen: Type.Integer(),
  tier: OwnerTier,
  label: NullableString,
});
export type OwnerSummary = Static<typeof OwnerSummary>;

/** Owners who have items, or of whom something is noted; those with most items first. */
export const listOwners = defineOperation({
  subject: 'content.list-owners',
  input: Type.Object({
    /** How the owner's id or label begins, in any case; `null`: all. */
    search: NullableString,
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: OWNERS_PER_PAGE }),
  }),
  reply: Type.Object({ owners: Type.Array(OwnerSummary), total: Type.Integer() }),
  timeoutMs: 8_000,
  retry: false,
});

/** Items that there are now, and who has most of them; a few seconds old at the most. */
export const readInventory = defineOperation({
  subject: 'content.read-inventory',
  input: Type.Object({}),
  reply: Type.Object({
    html: Type.Integer(),
    kvEntries: Type.Integer(),
    json: Type.Integer(),
    file: Type.Integer(),
    site: Type.Integer(),
    owners: Type.Integer(),
    ownersWithMost: Type.Array(OwnerSummary),
  }),
  timeoutMs: 8_000,
  retry: false,
});

export const OwnerTerms = Type.Object({
  ownerId: Type.String(),
  tier: OwnerTier,
  maxTtlDays: Type.Integer({ minimum: 1, maximum: LIMITS.privilegedTtlDaysMax }),
  label: NullableString,
  note: NullableString,
});
export type OwnerTerms = Static<typeof OwnerTerms>;

/** Notes the terms of an owner; omitted fields stay as they are. */
export const setOwnerTerms = defineOperation({
  subject: 'content.set-owner-terms',
  input: Type.Object({
    ...Type.Omit(OwnerTerms, ['label', 'note']).properties,
    label: Type.Optional(NullableString),
    note: Type.Optional(NullableString),
    ...ACTED,
  }),
  reply: OwnerTerms,
  timeoutMs: 5_000,
  retry: true,
  writes: true,
});

/** The longest life that an owner may give an item, in days. */
export const readMaxTtlDays = defineOperation({
  subject: 'content.read-max-ttl-days',
  input: Type.Object({ ownerHash: Type.String() }),
  reply: Type.Object({ maxTtlDays: Type.Integer() }),
  timeoutMs: 3_000,
  retry: true,
});

/** Takes down all that an owner has, of every kind. A repetition goes on with what is left. */
export const takeDownOwner = defineOperation({
  subject: 'content.take-down-owner',
  input: Type.Object({
    ownerId: Type.String(),
    /** Address of whoever sent the admin password, for the log. */
    clientIp: Type.String(),
    ...ACTED,
  }),
  reply: Type.Object({ items: Type.Integer() }),
  timeoutMs: 13_000,
  retry: false,
  writes: true,
});
