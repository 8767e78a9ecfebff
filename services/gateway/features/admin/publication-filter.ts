import { isIP } from 'node:net';
import { ITEM_STATES, type PublicationFilter } from '../../../../shared/contracts/publications.ts';
import { canonicalAddress } from '../../http/client.ts';
import { parseKind } from '../../http/parameters.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';
import { ITEM_ID, NAMESPACE } from '../../items/item-address.ts';

/** The filter of the list of all items (specification 18.7). A blank parameter counts as left out. */
export function parsePublicationFilter(query: URLSearchParams, issues: ValidationIssues): PublicationFilter {
  const text = (name: string): string | null => query.get(name)?.trim() || null;
  const known = (name: string, pattern: RegExp): string | null => {
    const value = text(name);
    if (value === null || pattern.test(value)) return value;
    issues.add('VALIDATION_FAILED', name, `is no ${name} of an item.`);
    return null;
  };
  const asked = text('state');
  const state = ITEM_STATES.find((one) => one === asked) ?? null;
  if (state !== asked) {
    issues.add('VALIDATION_FAILED', 'state', `must be one of ${ITEM_STATES.join(', ')}.`);
  }
  const ip = text('ip');
  if (ip !== null && isIP(ip) === 0)
    issues.add('VALIDATION_FAILED', 'ip', 'must be an IPv4 or IPv6 address.');
  return {
    ...{ kind: parseKind(query, issues, 'type'), state },
    namespace: known('namespace', NAMESPACE),
    id: known('id', ITEM_ID),
    ownerId: known('owner', /^[0-9a-f]{64}$/i)?.toLowerCase() ?? null,
    clientIp: ip === null || isIP(ip) === 0 ? null : canonicalAddress(ip),
  };
}
