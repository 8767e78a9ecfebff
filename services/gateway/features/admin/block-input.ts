import { isIP } from 'node:net';
import type { addBlock } from '../../../../shared/contracts/blocklist.ts';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import { canonicalAddress } from '../../http/client.ts';
import { parseText } from '../../http/parameters.ts';
import { collectIssues, type ValidationIssues } from '../../http/validation-issues.ts';
import { endOfDuration } from './duration.ts';

export const PATTERN_CHARACTERS = 200;
export const REASON_CHARACTERS = 500;
const DURATION_CHARACTERS = 50;

/** A new entry of the blocklist, checked (specification 18.6). @throws VALIDATION_FAILED that names every issue */
export function parseBlock(
  fields: Record<string, unknown>,
  now: number,
): Pick<InputOf<typeof addBlock>, 'ip' | 'uaPattern' | 'reason' | 'expiresAt'> {
  const issues = collectIssues();
  const ip = parseNetwork(fields.ip, issues);
  const uaPattern = parseText(fields.uaPattern, 'uaPattern', PATTERN_CHARACTERS, issues);
  if (uaPattern !== null && /^\*+$/.test(uaPattern)) {
    issues.add('VALIDATION_FAILED', 'uaPattern', 'has a character besides *, or it would fit every client.');
  }
  const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';
  if (!isGiven(fields.ip) && !isGiven(fields.uaPattern)) {
    issues.add('VALIDATION_FAILED', 'ip', 'or uaPattern is needed: the clients that are to be blocked.');
  }
  const reason = parseText(fields.reason, 'reason', REASON_CHARACTERS, issues);
  if (reason === null)
    issues.add('VALIDATION_FAILED', 'reason', 'is needed, for those who read the list later.');
  const expiresAt = parseDuration(fields.duration, now, issues);
  issues.throwIfAny();
  return { ip, uaPattern, reason: reason ?? '', expiresAt };
}

/** An address or a network, in the form in which requests have their addresses. */
export function parseNetwork(value: unknown, issues: ValidationIssues, field = 'ip'): string | null {
  const text = parseText(value, field, 60, issues);
  if (text === null) return null;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const canonical = version === 0 || address.includes('%') ? '' : canonicalAddress(address);
  // Bits of an IPv4 address mapped into IPv6 would count from another beginning.
  const fits =
    bits === undefined || (isIP(canonical) === version && isPrefix(bits, version === 6 ? 128 : 32));
  if (canonical !== '' && fits && rest.length === 0)
    return bits === undefined ? canonical : `${canonical}/${Number(bits)}`;
  issues.add(
    'VALIDATION_FAILED',
    field,
    'must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24 or 2001:db8::/32.',
  );
  return null;
}

const isPrefix = (bits: string, most: number): boolean => /^\d{1,3}$/.test(bits) && Number(bits) <= most;

/** When it ends; `null`: never. */
function parseDuration(value: unknown, now: number, issues: ValidationIssues): number | null {
  const text = parseText(value, 'duration', DURATION_CHARACTERS, issues);
  const end = text === null ? null : endOfDuration(text, now);
  if (text !== null && end === null) {
    issues.add(
      'VALIDATION_FAILED',
      'duration',
      'must be an ISO 8601 duration up to 100 years, such as P7D or PT12H.',
    );
  }
  return end;
}
