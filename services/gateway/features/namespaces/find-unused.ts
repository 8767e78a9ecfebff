import { call } from '../../../../shared/contracts/call.ts';
import { findUnusedNamespaces } from '../../../../shared/contracts/namespaces.ts';
import type { CallContext } from '../../../../shared/contracts/operation.ts';
import { errors } from '../../../../shared/errors.ts';
import type { Bus } from '../../../../shared/ports/bus.ts';

/** Candidates asked about at once: the first ones of a popular name may be taken. */
const CANDIDATES = 24;
const MAX_ATTEMPTS = 3;

/**
 * So many different namespaces that nothing is in at this moment; somebody may take one in the next.
 * @param propose makes others each time, best first
 * @throws UNAVAILABLE when chance has found none several times over
 */
export async function findUnused(
  bus: Bus,
  context: CallContext,
  count: number,
  propose: (count: number) => string[],
): Promise<string[]> {
  const found = new Set<string>();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { unused } = await call(bus, findUnusedNamespaces, { candidates: propose(CANDIDATES) }, context);
    for (const name of unused) found.add(name);
    if (found.size >= count) return [...found].slice(0, count);
  }
  throw errors.unavailable('no free namespace was found');
}
