import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type * as contract from '../../../shared/contracts/blocklist.ts';
import { BLOCKS_IN_FORCE } from '../../../shared/contracts/blocklist.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { errors } from '../../../shared/errors.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import type { ContentDependencies } from '../dependencies.ts';
import * as blocks from '../repository/blocks.ts';

type Dependencies = Pick<ContentDependencies, 'sql' | 'clock'>;

/** The entries in force, unless the caller knows them. */
export async function readBlocklist(
  { sql, clock }: Dependencies,
  { known }: InputOf<typeof contract.readBlocklist>,
): Promise<ReplyOf<typeof contract.readBlocklist>> {
  // The revision first: a change in between is then read with it, and once more the next time.
  const revision = await blocks.readRevision(sql);
  if (revision === known) return { revision, entries: null };
  return { revision, entries: await blocks.listInForce(sql, clock.now()) };
}

/** A part of the blocklist for the operator, and how many entries there are. */
export async function listBlocks(
  { sql, clock }: Dependencies,
  { active, type, offset, limit }: InputOf<typeof contract.listBlocks>,
): Promise<ReplyOf<typeof contract.listBlocks>> {
  const now = clock.now();
  const filter = { active, type };
  const [found, total] = await Promise.all([
    blocks.listBlocks(sql, filter, { offset, limit }, now),
    blocks.countBlocks(sql, filter, now),
  ]);
  return { blocks: found, total };
}

/** Adds an entry, or finds the one of an earlier attempt. @throws LIMIT_REACHED, TIMEOUT */
export async function addBlock(
  deps: ContentDependencies,
  { actor, ...input }: InputOf<typeof contract.addBlock>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.addBlock>> {
  const { clock } = deps;
  return await writeInTime(deps, context, 'an entry of the blocklist', async (tx) => {
    await blocks.lockBlocklist(tx);
    const now = clock.now();
    const made = await blocks.findBlock(tx, input.id, now);
    if (made !== null) return made;
    if ((await blocks.countInForce(tx, now)) >= BLOCKS_IN_FORCE) {
      throw errors.limitReached('entries in force', BLOCKS_IN_FORCE);
    }
    const block = { ...input, blockedAt: now };
    await blocks.insertBlock(tx, block);
    const target = [input.id, input.ip, input.uaPattern].filter((part) => part !== null).join(' ');
    await recordDone(tx, context, 'block-clients', target, actor, now);
    return { ...block, active: true };
  });
}

/** Ends an entry. @throws NOT_FOUND, TIMEOUT */
export async function removeBlock(
  deps: ContentDependencies,
  { id, actor }: InputOf<typeof contract.removeBlock>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.removeBlock>> {
  return await writeInTime(deps, context, 'the end of a block', async (tx) => {
    await blocks.lockBlocklist(tx);
    const now = deps.clock.now();
    if (!(await blocks.markRemoved(tx, id, now))) throw errors.blockNotFound(id);
    await recordDone(tx, context, 'end-block', id, actor, now);
    return {};
  });
}
