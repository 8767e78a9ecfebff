import { type DomainFinding, type DomainState, GRACE_DAYS } from '../../../shared/contracts/domains.ts';
import type { CheckedClaim, Claim } from '../repository/domains.ts';

/** Days in which a claim that was never verified is looked after without its owner asking. */
const PENDING_DAYS = 3;

/** Parts of a day after which a claim is looked after again: one that is not verified, or got no answer. */
const SOON = 1 / 24;

/** Answers of the name servers about a domain. */
export interface Evidence {
  /** The tokens in its records; `null`: no answer to rely on. */
  tokens: ReadonlySet<string> | null;
  /** Whether it leads to this service; `null`: nobody could tell. */
  leadsHere: boolean | null;
}

export interface Decision {
  /** The claim from then on; `null`: it is at its end. */
  claim: CheckedClaim | null;
  /** Whether whoever has held the domain does no more. */
  takesOver: boolean;
}

interface Circumstances {
  /** The claim of another item that holds the domain. */
  holder: Claim | null;
  /** Whether the record of that item was found after the name servers were asked, which tells more than their answer. */
  isLate: boolean;
  now: number;
  dayMs: number;
}

/**
 * Decides about a claim. Only an answer without the record takes a domain away, first its state and days later the domain:
 * that name servers do not answer says nothing. A holder whose record is still there keeps the domain; one whose record is not
 * there gives it up to whoever has one.
 */
export function decideClaim(claim: Claim, { tokens, leadsHere }: Evidence, at: Circumstances): Decision {
  const { holder, isLate, now, dayMs } = at;
  const isHeld = claim.state !== 'pending';
  const keep = (
    state: DomainState,
    finding: DomainFinding,
    dueAt: number | null,
    change: Partial<CheckedClaim> = {},
  ): CheckedClaim => ({
    ...{ state, finding, dueAt, checkedAt: now, verifiedAt: claim.verifiedAt, lostAt: claim.lostAt },
    ...change,
  });
  const soon = !isHeld && now - claim.claimedAt > PENDING_DAYS * dayMs ? null : now + SOON * dayMs;
  const stay = (finding: DomainFinding): Decision => ({
    claim: keep(claim.state, finding, soon),
    takesOver: false,
  });
  if (tokens === null) return stay('failure');
  if (tokens.has(claim.token)) {
    if (!isHeld && holder !== null && (isLate || tokens.has(holder.token))) return stay('held');
    const wasActive = claim.state === 'active';
    const state = (leadsHere ?? wasActive) ? 'active' : 'verified';
    // Until it leads here its owner is at work on it.
    const dueAt = state === 'active' ? now + dayMs : now + SOON * dayMs;
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

/** The claim of an item that another one has the domain from now on. */
export const handedOver = (now: number): CheckedClaim => ({
  ...{ state: 'pending', finding: 'held', verifiedAt: null, lostAt: null, checkedAt: now, dueAt: null },
});
