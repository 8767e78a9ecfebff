import { nanoid } from 'nanoid';
import type { CallContext } from '../../../shared/call-context.ts';
import {
  type checkDomain as checkContract,
  type claimDomain as claimContract,
  DOMAINS_PER_OWNER,
  type DomainClaim,
  type readDomain as readContract,
  type removeDomain as removeContract,
  type resolveDomain as resolveContract,
} from '../../../shared/contracts/domains.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { errors } from '../../../shared/errors.ts';
import { announceItem } from '../../../shared/items/announce-item.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import { type AnyItem, toItemRecord } from '../../../shared/items/item-repository.ts';
import { changeItem } from '../../../shared/items/item-turns.ts';
import { assertOwner, findLiveItem } from '../../../shared/items/owned-item.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { applyEvidence, type DomainDependencies, gatherEvidence } from '../domains/check-claim.ts';
import * as domains from '../repository/domains.ts';

/** How soon a new claim is checked without its owner asking, in days of `TTL_DAY_SECONDS`. */
const FIRST_CHECK_DAYS = 1 / 24;

/**
 * Claims a domain for an item, in place of its former one.
 * @throws NOT_FOUND, OWNER_TOKEN_WRONG, LIMIT_REACHED, TIMEOUT
 */
export async function claimDomain(
  deps: ContentDependencies,
  { domain, ...owned }: InputOf<typeof claimContract>,
  context: CallContext,
): Promise<ReplyOf<typeof claimContract>> {
  const { clock, ttlDayMs } = deps;
  const { claim, isNew, released } = await changeItem(
    deps,
    owned,
    context,
    'a claim of a domain',
    async (tx) => {
      const item = await findOwned(tx, owned, deps, true);
      const before = await domains.findClaim(tx, item.code);
      if (before?.domain === domain)
        return { claim: before, isNew: false, released: { item, formerDomain: null } };
      const others = (await domains.lockOwnerClaims(tx, owned.ownerHash)) - (before === null ? 0 : 1);
      if (others >= DOMAINS_PER_OWNER) throw errors.domainLimitReached(DOMAINS_PER_OWNER);
      const now = clock.now();
      const released = await release(tx, item, now);
      const { code } = item;
      const token = nanoid(32);
      const dueAt = now + FIRST_CHECK_DAYS * ttlDayMs;
      await domains.insertClaim(tx, {
        code,
        domain,
        token,
        claimedAt: now,
        dueAt,
        ownerHash: owned.ownerHash,
      });
      const claim = await domains.findClaim(tx, code);
      if (claim === null) throw new Error('a claim that was inserted is missing');
      return { claim, isNew: true, released };
    },
  );
  await announceReleased(deps, released);
  return { claim: asReply(claim), isNew };
}

/**
 * Checks the claim of an item.
 * @throws NOT_FOUND, also for an item without a claim, OWNER_TOKEN_WRONG, DOMAIN_TAKEN, TIMEOUT
 */
export async function checkDomain(
  deps: DomainDependencies,
  owned: InputOf<typeof checkContract>,
  context: CallContext,
): Promise<ReplyOf<typeof checkContract>> {
  const { code } = await findOwned(deps.sql, owned, deps, false);
  const claim = await domains.findClaim(deps.sql, code);
  if (claim === null) throw errors.domainNotFound(owned.namespace, owned.id);
  const evidence = await gatherEvidence(deps, claim);
  await applyEvidence(deps, claim, evidence, (work) =>
    changeItem(deps, owned, context, 'a check of a domain', work),
  );
  const checked = await domains.findClaim(deps.sql, code);
  if (checked === null) throw errors.domainNotFound(owned.namespace, owned.id);
  if (checked.finding === 'held') throw errors.domainTaken(checked.domain);
  return { claim: asReply(checked) };
}

/** Reads the claim of an item; `null` without one. @throws NOT_FOUND, OWNER_TOKEN_WRONG */
export async function readDomain(
  deps: ContentDependencies,
  owned: InputOf<typeof readContract>,
): Promise<ReplyOf<typeof readContract>> {
  const { code } = await findOwned(deps.sql, owned, deps, false);
  const claim = await domains.findClaim(deps.sql, code);
  return { claim: claim === null ? null : asReply(claim) };
}

/** Removes the claim of an item. @throws NOT_FOUND, OWNER_TOKEN_WRONG, TIMEOUT */
export async function removeDomain(
  deps: ContentDependencies,
  owned: InputOf<typeof removeContract>,
  context: CallContext,
): Promise<ReplyOf<typeof removeContract>> {
  const { removed, released } = await changeItem(deps, owned, context, 'the end of a claim', async (tx) => {
    const item = await findOwned(tx, owned, deps, true);
    const claim = await domains.findClaim(tx, item.code);
    return { removed: claim !== null, released: await release(tx, item, deps.clock.now()) };
  });
  await announceReleased(deps, released);
  return { removed };
}

export async function resolveDomain(
  { sql }: ContentDependencies,
  { domain }: InputOf<typeof resolveContract>,
): Promise<ReplyOf<typeof resolveContract>> {
  const found = await domains.findHoldingItem(sql, domain);
  if (found === null) return { holder: null };
  const { namespace, id, state } = found;
  return { holder: { namespace, id, isVerified: state !== 'lost' } };
}

/** An item whose claim has ended, and the domain that it held, if any. */
interface Released {
  item: AnyItem;
  formerDomain: string | null;
}

/** Ends the claim of a locked item. */
async function release(tx: Query, item: AnyItem, now: number): Promise<Released> {
  await domains.deleteClaim(tx, item.code);
  const { domain } = item;
  const without = domain === null ? item : await domains.setItemDomain(tx, item, null, now);
  return { item: without, formerDomain: domain };
}

/** Announced also when nothing changed: an earlier attempt may have died between its commit and its announcement. */
async function announceReleased(deps: ContentDependencies, { item, formerDomain }: Released): Promise<void> {
  await announceItem(deps, toItemRecord(item));
  if (formerDomain !== null) await deps.cache.forgetHost(formerDomain);
}

async function findOwned(
  sql: Query,
  { namespace, id, ownerHash }: ItemRef & { ownerHash: string },
  { clock }: Pick<ContentDependencies, 'clock'>,
  lock: boolean,
): Promise<AnyItem> {
  const item = await findLiveItem(sql, { namespace, id }, { clock, lock });
  assertOwner(item, ownerHash);
  return item;
}

function asReply({ code, ...claim }: domains.Claim): DomainClaim {
  return claim;
}
