import type { Batch } from '../../../shared/sweep/batch.ts';
import { applyEvidence, type DomainDependencies, gatherEvidence } from '../domains/check-claim.ts';
import * as domains from '../repository/domains.ts';

/** Domains of one batch, which are asked about at once: a stop does not wait long for its end. */
const AT_ONCE = 4;

/** How long a domain is left to the process that took it, in ms: after its death another goes on. */
const LEASE_MS = 60_000;

/**
 * Asks about the domains that are due, a few at a time. Each is taken by one process; one whose check fails here is taken
 * again when its lease is over.
 */
export async function checkDueDomains(deps: DomainDependencies): Promise<Batch> {
  const { sql, clock, log } = deps;
  const now = clock.now();
  const due = await domains.takeDueClaims(sql, now, now + LEASE_MS, AT_ONCE);
  await Promise.all(
    due.map(async (claim) => {
      try {
        const evidence = await gatherEvidence(deps, claim);
        await applyEvidence(deps, claim, evidence, async (work) => {
          const { outcome } = await sql.begin(async (tx) => ({ outcome: await work(tx) }));
          return outcome;
        });
      } catch (error) {
        log.warn({ error, domain: claim.domain }, 'a domain could not be checked');
      }
    }),
  );
  return { done: due.length, more: due.length === AT_ONCE };
}
