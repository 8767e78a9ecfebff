import { type Static, Type } from '@sinclair/typebox';
import { ACTED } from './audit.ts';
import { defineOperation } from './operation.ts';

/** Days for which blocked content cannot be stored again. */
export const CONTENT_BLOCK_DAYS = 90;

/** Items that one takedown removes at most. */
export const TAKEDOWN_ITEMS = 1_000;

/** Blocks in one list at most. */
export const BLOCKED_PER_PAGE = 1_000;

/** All items of an owner, of a network or with some content. */
export const TakedownTarget = Type.Object({
  by: Type.Union((['owner', 'network', 'content'] as const).map((by) => Type.Literal(by))),
  /** The owner's id; an address or network in CIDR notation; a SHA-256 in hex, or its first 32 digits. */
  value: Type.String(),
});
export type TakedownTarget = Static<typeof TakedownTarget>;

/** Removes some of the items, and says how many are left: whoever repeats it goes on. */
export const takeDownMany = defineOperation({
  subject: 'content.take-down-many',
  input: Type.Object({
    target: TakedownTarget,
    /** Whether the content of these items is blocked, too; that of a target by content always is. */
    blockContent: Type.Boolean(),
    reason: Type.String(),
    /** 0: nothing is done, only counted. */
    limit: Type.Integer({ minimum: 0, maximum: TAKEDOWN_ITEMS }),
    ...ACTED,
  }),
  reply: Type.Object({
    removed: Type.Integer(),
    left: Type.Integer(),
    leftIsLowerBound: Type.Boolean(),
    /** How much content is blocked that was not before. */
    blocked: Type.Integer(),
  }),
  timeoutMs: 13_000,
  retry: false,
  writes: true,
});

export const BlockedContent = Type.Object({
  /** The SHA-256 in hex; its first 32 digits where the service knows no more. */
  hash: Type.String(),
  reason: Type.String(),
  blockedAt: Type.Integer(),
  /** The address of the operator. */
  blockedBy: Type.String(),
  expiresAt: Type.Integer(),
});
export type BlockedContent = Static<typeof BlockedContent>;

/** Content that cannot be stored now, what was blocked last first. */
export const listBlockedContent = defineOperation({
  subject: 'content.list-blocked-content',
  input: Type.Object({
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: BLOCKED_PER_PAGE }),
  }),
  reply: Type.Object({ blocked: Type.Array(BlockedContent), total: Type.Integer() }),
  timeoutMs: 5_000,
  retry: true,
});

/** Blocks content that may not be stored yet; items that have it stay. */
export const blockContent = defineOperation({
  subject: 'content.block-content',
  input: Type.Object({ hash: Type.String(), reason: Type.String(), ...ACTED }),
  reply: BlockedContent,
  timeoutMs: 5_000,
  retry: true,
  writes: true,
});

export const unblockContent = defineOperation({
  subject: 'content.unblock-content',
  input: Type.Object({ hash: Type.String(), ...ACTED }),
  reply: Type.Object({}),
  timeoutMs: 5_000,
  retry: false,
  writes: true,
});
