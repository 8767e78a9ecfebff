import { LRUCache } from 'lru-cache';
import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/owner-admin.ts';
import { OWNERS_WITH_MOST_ITEMS } from '../../../shared/contracts/owner-admin.ts';
import { errors } from '../../../shared/errors.ts';
import { maxTtlDaysOf } from '../../../shared/items/owner-terms.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import type { ContentDependencies } from '../dependencies.ts';
import * as owners from '../repository/owners.ts';

type Dependencies = Pick<ContentDependencies, 'sql' | 'clock'>;

/** Counting all items takes time: those who ask within so many ms share an answer. */
const FRESH_MS = 2_000;

/** A part of the owners for the operator, and how many there are. */
export async function listOwners(
  { sql, clock }: Dependencies,
  input: InputOf<typeof contract.listOwners>,
): Promise<ReplyOf<typeof contract.listOwners>> {
  const now = clock.now();
  const [found, total] = await Promise.all([
    owners.listOwners(sql, input, now),
    owners.countOwners(sql, input.search, now),
  ]);
  return { owners: found, total };
}

/** Counts what there is now. */
export function createInventoryReader({
  sql,
  clock,
}: Dependencies): () => Promise<ReplyOf<typeof contract.readInventory>> {
  const recent = new LRUCache<'all', ReplyOf<typeof contract.readInventory>>({
    max: 1,
    ttl: FRESH_MS,
    fetchMethod: async () => {
      const now = clock.now();
      const most = { search: null, offset: 0, limit: OWNERS_WITH_MOST_ITEMS };
      const counted = await owners.countInventory(sql, now);
      return { ...counted, ownersWithMost: await owners.listOwners(sql, most, now) };
    },
  });
  return () => recent.forceFetch('all');
}

/** Notes an owner's terms, and answers with all that is noted. @throws NOT_FOUND, TIMEOUT */
export async function setOwnerTerms(
  deps: Dependencies,
  { actor, ...terms }: InputOf<typeof contract.setOwnerTerms>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.setOwnerTerms>> {
  return await writeInTime(deps, context, 'the terms of an owner', async (tx) => {
    const saved = await owners.saveTerms(tx, terms);
    if (saved === null) throw errors.ownerNotFound(terms.ownerId);
    const target = `${saved.ownerId} ${saved.tier} ${saved.maxTtlDays} days`;
    await recordDone(tx, context, 'set-owner-terms', target, actor, deps.clock.now());
    return saved;
  });
}

export const readMaxTtlDays = async (
  { sql }: Dependencies,
  { ownerHash }: InputOf<typeof contract.readMaxTtlDays>,
): Promise<ReplyOf<typeof contract.readMaxTtlDays>> => ({ maxTtlDays: await maxTtlDaysOf(sql, ownerHash) });
