import { type DomainFinding, type DomainState, GRACE_DAYS } from '../../../shared/contracts/domains.ts';
import { announceItem } from '../../../shared/items/announce-item.ts';
import { type AnyItem, toItemRecord } from '../../../shared/items/item-repository.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { ContentDependencies } from '../dependencies.ts';
import type { CheckedClaim, Claim } from '../repository/domains.ts';
import * as domains from '../repository/domains.ts';
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
 * Updates the state of a claim from the answers of name servers. A claim that was changed or checked since they were asked keeps its
 * state. Decisions about one domain are made one after the other.
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
    const isOvertaken =
      holder !== null && holder.state !== 'lost' && isChanged(holder, evidence.holderBefore);
    const decision = decideClaim(claim, evidence, { holder, isOvertaken, now, dayMs: ttlDayMs });
    const told: AnyItem[] = [];
    if (decision.takesOver && holder !== null) {
      await domains.updateClaim(tx, holder.code, handedOver(now));
      const other = items.find(({ code }) => code === holder.code);
      if (other !== undefined) told.push(await domains.setItemDomain(tx, other, null, now));
    }
    if (decision.claim === null) await domains.deleteClaim(tx, claim.code);
    else await domains.updateClaim(tx, claim.code, decision.claim);
    const held = decision.claim === null || decision.claim.state === 'pending' ? null : claim.domain;
    // Told also when it was so before: an earlier check may have died between its commit and its announcement.
    told.push(held === item.domain ? item : await domains.setItemDomain(tx, item, held, now));
    return told;
  });
  for (const item of changed) await announceItem(deps, toItemRecord(item));
  if (changed.length > 0) await deps.cache.forgetHost(asked.domain);
}

/** Whether a claim is another one, or was checked, since it was read. */
const isChanged = (claim: domains.Claim, before: domains.Claim | null): boolean =>
  claim.token !== before?.token || claim.state !== before.state || claim.checkedAt !== before.checkedAt;

/** Days in which a claim that was never verified is looked after without its owner asking. */
const PENDING_DAYS = 3;

/** Interval between checks of a claim that is pending or verified, or about which no answer came, in days of `TTL_DAY_SECONDS`. */
const RECHECK_DAYS = 1 / 24;

/** Answers of the name servers about a domain. */
interface Evidence {
  /** The tokens in its records; `null`: no answer to rely on. */
  tokens: ReadonlySet<string> | null;
  /** Whether it leads to this service; `null`: nobody could tell. */
  leadsHere: boolean | null;
}

interface Decision {
  /** The claim from then on; `null`: it is at its end. */
  claim: CheckedClaim | null;
  /** Whether the claim takes the domain from its holder. */
  takesOver: boolean;
}

interface Circumstances {
  /** The claim of another item that holds the domain. */
  holder: Claim | null;
  /** Whether another check found the holder's record after this check had asked: that check is the newer evidence. */
  isOvertaken: boolean;
  now: number;
  dayMs: number;
}

/**
 * Decides about a claim. Only an answer without the record takes a domain away, first its state and days later the domain:
 * that name servers do not answer says nothing. A holder whose record is still there keeps the domain; one whose record is not
 * there gives it up to whoever has one.
 */
function decideClaim(claim: Claim, { tokens, leadsHere }: Evidence, at: Circumstances): Decision {
  const { holder, isOvertaken, now, dayMs } = at;
  const isHeld = claim.state !== 'pending';
  const keep = (
    state: DomainState,
    finding: DomainFinding,
    dueAt: number | null,
    change: Partial<CheckedClaim> = {},
  ): CheckedClaim => ({
    state,
    finding,
    dueAt,
    checkedAt: now,
    verifiedAt: claim.verifiedAt,
    lostAt: claim.lostAt,
    ...change,
  });
  const recheckAt =
    !isHeld && now - claim.claimedAt > PENDING_DAYS * dayMs ? null : now + RECHECK_DAYS * dayMs;
  const stay = (finding: DomainFinding): Decision => ({
    claim: keep(claim.state, finding, recheckAt),
    takesOver: false,
  });
  if (tokens === null) return stay('failure');
  if (tokens.has(claim.token)) {
    if (!isHeld && holder !== null && (isOvertaken || tokens.has(holder.token))) return stay('held');
    const wasActive = claim.state === 'active';
    const state = (leadsHere ?? wasActive) ? 'active' : 'verified';
    // Until it leads here its owner is at work on it.
    const dueAt = state === 'active' ? now + dayMs : now + RECHECK_DAYS * dayMs;
    const verifiedAt = claim.verifiedAt ?? now;
    return {
      claim: keep(state, 'record', dueAt, { verifiedAt, lostAt: null }),
      takesOver: holder !== null,
    };
  }
  if (!isHeld) return stay('none');
  const lostAt = claim.lostAt ?? now;
  if (claim.state === 'lost' && now - lostAt >= GRACE_DAYS * dayMs) return { claim: null, takesOver: false };
  return { claim: keep('lost', 'none', now + dayMs, { lostAt }), takesOver: false };
}

/** The holder's claim after another item has taken the domain over. */
const handedOver = (now: number): CheckedClaim => ({
  state: 'pending',
  finding: 'held',
  verifiedAt: null,
  lostAt: null,
  checkedAt: now,
  dueAt: null,
});
