import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type { Actor } from '../../../shared/contracts/audit.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/takedowns.ts';
import { CONTENT_BLOCK_DAYS } from '../../../shared/contracts/takedowns.ts';
import { errors } from '../../../shared/errors.ts';
import { lockBlockedContent } from '../../../shared/items/blocked-content.ts';
import { etagOf } from '../../../shared/items/etag.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { ContentDependencies } from '../dependencies.ts';
import * as blocked from '../repository/blocked-content.ts';

type Dependencies = Pick<ContentDependencies, 'sql' | 'clock'>;

const BLOCK_MS = CONTENT_BLOCK_DAYS * 86_400_000;
const FORGOTTEN_AT_ONCE = 1_000;

/** A hash as the operator gives it: a SHA-256, or its first 32 digits. */
export const hashed = (hash: string): blocked.Hashed => ({
  etag: etagOf({ sha256: hash }),
  sha256: hash.length === 64 ? hash : null,
});

/** Content that an operator wants blocked, and why. */
export interface BlockOrder {
  hashes: blocked.Hashed[];
  reason: string;
  actor: Actor | undefined;
}

interface Blocked {
  block: blocked.NewBlock;
  /** How much of the content was not blocked before. */
  fresh: number;
}

/**
 * Blocks content in its own transaction, after all transactions that store content have ended: nothing blocked is stored
 * after its commit, and everything stored before can be found.
 * @throws TIMEOUT
 */
export async function blockHashes(
  deps: Dependencies,
  order: BlockOrder,
  context: CallContext,
): Promise<Blocked> {
  return await writeInTime(deps, context, 'a block of content', async (tx) => {
    await lockBlockedContent(tx);
    return await recordBlocks(tx, deps, order, context);
  });
}

/**
 * Blocks content in the caller's transaction. A transaction that stores it at the same moment may already have checked;
 * call `lockBlockedContent` first to wait for those.
 */
export async function recordBlocks(
  tx: Query,
  { clock }: Pick<Dependencies, 'clock'>,
  { hashes, reason, actor }: BlockOrder,
  context: CallContext,
): Promise<Blocked> {
  const now = clock.now();
  const block = { reason, blockedBy: actor?.clientIp ?? '', blockedAt: now, expiresAt: now + BLOCK_MS };
  const fresh = await blocked.insertBlocked(tx, hashes, block);
  for (const { etag, sha256 } of hashes)
    await recordDone(tx, context, 'block-content', sha256 ?? etag, actor, now);
  return { block, fresh };
}

/** Blocks content by its hash. @throws TIMEOUT */
export async function blockContent(
  deps: Dependencies,
  { hash, reason, actor }: InputOf<typeof contract.blockContent>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.blockContent>> {
  const { block } = await blockHashes(deps, { hashes: [hashed(hash)], reason, actor }, context);
  return { hash, ...block };
}

/** A part of the blocked content for the operator, and how much there is. */
export async function listBlockedContent(
  { sql, clock }: Dependencies,
  page: InputOf<typeof contract.listBlockedContent>,
): Promise<ReplyOf<typeof contract.listBlockedContent>> {
  const now = clock.now();
  const [found, total] = await Promise.all([
    blocked.listBlocked(sql, page, now),
    blocked.countBlocked(sql, now),
  ]);
  return { blocked: found, total };
}

/** Lets content be stored again. @throws NOT_FOUND, TIMEOUT */
export async function unblockContent(
  deps: Dependencies,
  { hash, actor }: InputOf<typeof contract.unblockContent>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.unblockContent>> {
  return await writeInTime(deps, context, 'the end of a block of content', async (tx) => {
    const now = deps.clock.now();
    if (!(await blocked.removeBlocked(tx, hashed(hash).etag, now))) throw errors.blockedContentNotFound(hash);
    await recordDone(tx, context, 'unblock-content', hash, actor, now);
    return {};
  });
}

/** Forgets blocks that are over. */
export async function forgetBlockedContent({ sql, clock }: Dependencies): Promise<Batch> {
  const done = await blocked.forgetBlocked(sql, clock.now(), FORGOTTEN_AT_ONCE);
  return { done, more: done === FORGOTTEN_AT_ONCE };
}
