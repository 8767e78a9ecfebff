import { announceItem } from '../../../shared/items/announce-item.ts';
import { type AnyItem, toItemRecord } from '../../../shared/items/item-repository.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { ContentDependencies } from '../dependencies.ts';
import * as domains from '../repository/domains.ts';
import { decideClaim, type Evidence, handedOver } from './decide-claim.ts';
import type { NameServers } from './name-servers.ts';

export interface DomainDependencies extends ContentDependencies {
  nameServers: NameServers;
}

/** The answers about a domain, with who held it before name servers were asked. */
interface Answers extends Evidence {
  holderBefore: domains.Claim | null;
}

/** Asks about a domain. Where it leads is asked only once somebody's record is there. */
export async function gatherEvidence(
  { sql, nameServers }: DomainDependencies,
  claim: domains.Claim,
): Promise<Answers> {
  const holderBefore = await domains.findHolder(sql, claim.domain);
  const tokens = await nameServers.tokensOf(claim.domain);
  const leadsHere = tokens?.has(claim.token) === true ? await nameServers.leadsHere(claim.domain) : null;
  return { holderBefore, tokens, leadsHere };
}

/** Runs a transaction; a check on request has less time for it than one in the background. */
type Transaction = <T>(work: (tx: Query) => Promise<T>) => Promise<T>;

/**
 * Makes a claim what the name servers' answers make of it. One that was changed or checked since they were asked stays. All who
 * decide about one domain come one after the other.
 */
export async function applyEvidence(
  deps: DomainDependencies,
  asked: domains.Claim,
  evidence: Answers,
  transaction: Transaction,
): Promise<void> {
  const changed = await transaction(async (tx) => {
    const { clock, ttlDayMs } = deps;
    await domains.lockDomain(tx, asked.domain);
    const before = await domains.findHolder(tx, asked.domain);
    const codes = before === null ? [asked.code] : [...new Set([asked.code, before.code])];
    const items = await domains.lockItems(tx, codes);
    // While this waited for the lock, an owner may have given the domain up, and claimed another one. Nobody else can have got it.
    const found = await domains.findHolder(tx, asked.domain);
    const holder = found?.code === asked.code ? null : found;
    const claim = await domains.findClaim(tx, asked.code);
    const item = items.find(({ code }) => code === asked.code);
    if (claim === null || item === undefined || isChanged(claim, asked)) return [];
    const now = clock.now();
    const isLate = holder !== null && holder.state !== 'lost' && isChanged(holder, evidence.holderBefore);
    const decision = decideClaim(claim, evidence, { holder, isLate, now, dayMs: ttlDayMs });
    const told: AnyItem[] = [];
    if (decision.takesOver && holder !== null) {
      await domains.updateClaim(tx, holder.code, handedOver(now));
      const other = items.find(({ code }) => code === holder.code);
      if (other !== undefined) told.push(await domains.setItemDomain(tx, other, null, now));
    }
    if (decision.claim === null) await domains.deleteClaim(tx, claim.code);
    else await domains.updateClaim(tx, claim.code, decision.claim);
    const held = decision.claim === null || decision.claim.state === 'pending' ? null : claim.domain;
    if (held !== item.domain) told.push(await domains.setItemDomain(tx, item, held, now));
    return told;
  });
  for (const item of changed) await announceItem(deps, toItemRecord(item));
  if (changed.length > 0) await deps.cache.forgetLabel(asked.domain);
}

/** Whether a claim is another one, or was checked, since it was read. */
const isChanged = (claim: domains.Claim, before: domains.Claim | null): boolean =>
  claim.token !== before?.token || claim.state !== before.state || claim.checkedAt !== before.checkedAt;
