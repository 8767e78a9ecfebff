import { isIP } from 'node:net';
import type { addBlock } from '../../../../shared/contracts/blocklist.ts';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import { errors } from '../../../../shared/errors.ts';
import { canonicalAddress } from '../../http/client.ts';
import { parseText } from '../../http/parameters.ts';
import { collectIssues, type ValidationIssues } from '../../http/validation-issues.ts';

export const PATTERN_CHARACTERS = 200;
export const REASON_CHARACTERS = 500;
const DURATION_CHARACTERS = 50;

/** The entry that a path or a form names. @throws NOT_FOUND when none can have that id */
export function blockNamed(id: string): string {
  if (/^[\w-]{1,64}$/.test(id)) return id;
  throw errors.blockNotFound(id);
}

/** A new entry of the blocklist, checked (specification 18.6). @throws VALIDATION_FAILED that names every issue */
export function parseBlock(
  fields: Record<string, unknown>,
  now: number,
): Pick<InputOf<typeof addBlock>, 'ip' | 'uaPattern' | 'reason' | 'expiresAt'> {
  const issues = collectIssues();
  const ip = parseNetwork(fields.ip, issues);
  const uaPattern = parseText(fields.uaPattern, 'uaPattern', PATTERN_CHARACTERS, issues);
  if (uaPattern !== null && /^\*+$/.test(uaPattern)) {
    issues.add('uaPattern', 'must have a character besides *, or it would fit every client.');
  }
  const isGiven = (value: unknown) =>
    typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null;
  if (!isGiven(fields.ip) && !isGiven(fields.uaPattern)) {
    issues.add('ip', 'or uaPattern is needed: the clients that are to be blocked.');
  }
  const reason = parseText(fields.reason, 'reason', REASON_CHARACTERS, issues);
  if (reason === null) issues.add('reason', 'is needed, for those who read the list later.');
  const expiresAt = parseDuration(fields.duration, now, issues);
  issues.throwIfAny();
  return { ip, uaPattern, reason: reason ?? '', expiresAt };
}

/** The widest networks, in bits of their prefix: a slip must not block everybody, or take everything down. */
const WIDEST = { ipv4: 8, ipv6: 16 };

/** An address or a network that is not too wide, in the form in which requests have their addresses. */
export function parseNetwork(value: unknown, issues: ValidationIssues, field = 'ip'): string | null {
  const text = parseText(value, field, 60, issues);
  if (text === null) return null;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const canonical = version === 0 || address.includes('%') ? '' : canonicalAddress(address);
  // An IPv4-mapped IPv6 address becomes IPv4, so its prefix length would mean other bits: refused.
  const fits =
    bits === undefined || (isIP(canonical) === version && isPrefix(bits, version === 6 ? 128 : 32));
  if (canonical === '' || !fits || rest.length > 0) {
    issues.add(
      field,
      'must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24 or 2001:db8::/32.',
    );
    return null;
  }
  if (bits === undefined) return canonical;
  const widest = version === 6 ? WIDEST.ipv6 : WIDEST.ipv4;
  if (Number(bits) < widest) issues.add(field, `may be a /${widest} at the widest.`);
  return `${canonical}/${Number(bits)}`;
}

const isPrefix = (bits: string, max: number): boolean => /^\d{1,3}$/.test(bits) && Number(bits) <= max;

/** When it ends; `null`: never. */
function parseDuration(value: unknown, now: number, issues: ValidationIssues): number | null {
  const text = parseText(value, 'duration', DURATION_CHARACTERS, issues);
  const end = text === null ? null : endOfDuration(text, now);
  if (text !== null && end === null) {
    issues.add('duration', 'must be an ISO 8601 duration up to 100 years, such as P7D or PT12H.');
  }
  return end;
}

/** ISO 8601, section 5.5.2: years, months, weeks and days, then behind a T hours, minutes and seconds. */
const DURATION =
  /^P(?=.)(?:(\d{1,3})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?=.)(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?$/;

/** Most years until the end of a duration. */
const YEARS = 100;

/**
 * The moment at which a duration ends that begins `from` (ms since the epoch); `null` when it is none, has no length, or
 * ends in more than a hundred years. Years and months are those of the calendar, UTC.
 */
export function endOfDuration(text: string, from: number): number | null {
  const parts = DURATION.exec(text.trim().toUpperCase());
  if (parts === null) return null;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  const end = new Date(from);
  // The last day of a month that is shorter.
  const day = end.getUTCDate();
  end.setUTCFullYear(end.getUTCFullYear() + years, end.getUTCMonth() + months, 1);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(day, lastDay));
  const ms = ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
  const at = end.getTime() + ms;
  const latest = new Date(from);
  latest.setUTCFullYear(latest.getUTCFullYear() + YEARS);
  return at > from && at <= latest.getTime() ? at : null;
}
