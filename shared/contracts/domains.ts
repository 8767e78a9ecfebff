import { type Static, Type } from '@sinclair/typebox';
import { ItemAddress, OwnedItemAddress } from './items.ts';
import { defineOperation } from './operation.ts';

/** Domains that one owner may claim, whatever their state. */
export const DOMAINS_PER_OWNER = 20;

/** Days that a domain stays with its item after its record went. */
export const GRACE_DAYS = 7;

/**
 * `pending`: its record was never found, or another item holds the domain since. `verified`: the record is there. `active`: and
 * its addresses are those of this service. `lost`: the record was there, and is missing now.
 */
export const DOMAIN_STATES = ['pending', 'verified', 'active', 'lost'] as const;
export type DomainState = (typeof DOMAIN_STATES)[number];

/** `held`: the record is there, and so is that of another item, which holds the domain. `failure`: no answer, or none to rely on. */
export const DOMAIN_FINDINGS = ['record', 'none', 'held', 'failure'] as const;
export type DomainFinding = (typeof DOMAIN_FINDINGS)[number];

const Moment = Type.Union([Type.Integer(), Type.Null()]);

export const DomainClaim = Type.Object({
  domain: Type.String(),
  token: Type.String(),
  state: Type.Union(DOMAIN_STATES.map((state) => Type.Literal(state))),
  claimedAt: Type.Integer(),
  verifiedAt: Moment,
  lostAt: Moment,
  checkedAt: Moment,
  finding: Type.Union([...DOMAIN_FINDINGS.map((finding) => Type.Literal(finding)), Type.Null()]),
});
export type DomainClaim = Static<typeof DomainClaim>;

/** Claims a domain for an item, in place of the one it had. The claim of a domain that it has stays as it is. */
export const claimDomain = defineOperation({
  subject: 'content.claim-domain',
  input: Type.Object({ ...OwnedItemAddress, domain: Type.String() }),
  reply: Type.Object({ claim: DomainClaim, isNew: Type.Boolean() }),
  timeoutMs: 5_000,
  retry: true,
  writes: true,
});

/** Asks the name servers about the claim of an item. Takes up to four seconds. */
export const checkDomain = defineOperation({
  subject: 'content.check-domain',
  input: Type.Object(OwnedItemAddress),
  reply: Type.Object({ claim: DomainClaim }),
  timeoutMs: 8_000,
  retry: false,
  writes: true,
});

/** The claim of an item; `null`: it has none. */
export const readDomain = defineOperation({
  subject: 'content.read-domain',
  input: Type.Object(OwnedItemAddress),
  reply: Type.Object({ claim: Type.Union([DomainClaim, Type.Null()]) }),
  timeoutMs: 3_000,
  retry: true,
});

/** Takes the domain away from an item. `removed`: it had one. */
export const removeDomain = defineOperation({
  subject: 'content.remove-domain',
  input: Type.Object(OwnedItemAddress),
  reply: Type.Object({ removed: Type.Boolean() }),
  timeoutMs: 5_000,
  retry: false,
  writes: true,
});

/** The item that holds a domain, and whether its record is in place; `null` for a domain that nobody holds. */
export const resolveDomain = defineOperation({
  subject: 'content.resolve-domain',
  input: Type.Object({ domain: Type.String() }),
  reply: Type.Object({
    holder: Type.Union([Type.Object({ ...ItemAddress, isVerified: Type.Boolean() }), Type.Null()]),
  }),
  timeoutMs: 3_000,
  retry: true,
});
