import { type Static, Type } from '@sinclair/typebox';
import { ACTED } from './audit.ts';
import { defineOperation } from './operation.ts';

const NullableString = Type.Union([Type.String(), Type.Null()]);
const NullableInstant = Type.Union([Type.Integer(), Type.Null()]);

/** Entries in force at once: all of them fit into a message, and each is looked at before a change. */
export const BLOCKS_IN_FORCE = 5_000;

/** Entries in one list at most. */
export const BLOCKS_PER_PAGE = 1_000;

/** Clients that an entry keeps out: by address, by User-Agent, or by both, of which both must fit then. */
const CLIENTS = {
  /** An address, or a network in CIDR notation. */
  ip: NullableString,
  /** A part of the User-Agent in any case, `*` standing for any text. */
  uaPattern: NullableString,
  /** End of the block, in ms since the epoch; `null`: for good. */
  expiresAt: NullableInstant,
};

/** An entry in force, as a gateway needs it. */
export const BlockedClients = Type.Object(CLIENTS);
export type BlockedClients = Static<typeof BlockedClients>;

export const Block = Type.Object({
  id: Type.String(),
  ...CLIENTS,
  reason: Type.String(),
  blockedAt: Type.Integer(),
  /** The address of whoever asked for it. */
  blockedBy: Type.String(),
  /** Neither removed nor over. */
  active: Type.Boolean(),
});
export type Block = Static<typeof Block>;

/** All entries in force, for a gateway that knows the list of a revision; `entries` is `null` when that is the latest. */
export const readBlocklist = defineOperation({
  subject: 'content.read-blocklist',
  input: Type.Object({ known: NullableInstant }),
  reply: Type.Object({
    revision: Type.Integer(),
    entries: Type.Union([Type.Array(BlockedClients), Type.Null()]),
  }),
  /** Of a gateway's first look; its later ones have less time. */
  timeoutMs: 5_000,
  retry: false,
});

/** Newest first. */
export const listBlocks = defineOperation({
  subject: 'content.list-blocks',
  input: Type.Object({
    active: Type.Union([Type.Boolean(), Type.Null()]),
    type: Type.Union([Type.Literal('ip'), Type.Literal('ua'), Type.Null()]),
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: BLOCKS_PER_PAGE }),
  }),
  reply: Type.Object({ blocks: Type.Array(Block), total: Type.Integer() }),
  timeoutMs: 5_000,
  retry: true,
});

export const addBlock = defineOperation({
  subject: 'content.add-block',
  input: Type.Object({
    /** Equal in every attempt at one entry. */
    id: Type.String(),
    ...CLIENTS,
    reason: Type.String(),
    blockedBy: Type.String(),
    ...ACTED,
  }),
  reply: Block,
  timeoutMs: 5_000,
  retry: true,
  writes: true,
});

/** Ends an entry. Not repeated after a lost reply: the second attempt would find it ended. */
export const removeBlock = defineOperation({
  subject: 'content.remove-block',
  input: Type.Object({ id: Type.String(), ...ACTED }),
  reply: Type.Object({}),
  timeoutMs: 5_000,
  retry: false,
  writes: true,
});
