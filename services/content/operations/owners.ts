import { LRUCache } from 'lru-cache';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type * as contract from '../../../shared/contracts/owner-admin.ts';
import { OWNERS_WITH_MOST_ITEMS } from '../../../shared/contracts/owner-admin.ts';
import { errors } from '../../../shared/errors.ts';
import { maxTtlDaysOf } from '../../../shared/items/owner-terms.ts';
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

/** Notes an owner's terms, and answers with all that is noted. @throws NOT_FOUND */
export async function setOwnerTerms(
  { sql }: Dependencies,
  input: InputOf<typeof contract.setOwnerTerms>,
): Promise<ReplyOf<typeof contract.setOwnerTerms>> {
  const saved = await owners.saveTerms(sql, input);
  if (saved === null) throw errors.ownerNotFound(input.ownerId);
  return saved;
}

export const readMaxTtlDays = async (
  { sql }: Dependencies,
  { ownerHash }: InputOf<typeof contract.readMaxTtlDays>,
): Promise<ReplyOf<typeof contract.readMaxTtlDays>> => ({ maxTtlDays: await maxTtlDaysOf(sql, ownerHash) });
