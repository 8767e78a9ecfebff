import { LIMITS } from '../../../shared/items/item.ts';
import type { ValidationIssues } from '../http/validation-issues.ts';

/** Days: `7`, `"7"`, `"7d"`, `"7 days"`, `"1 day"`, in any case and with spaces (specification 3.1). */
const TTL = /^(\d{1,3})(?:\s{0,20}(?:d|days?))?$/i;

/** The names of the parameter; of several that are sent the first here counts. */
export const TTL_NAMES = ['ttl', 'ttlDays', 'ttl_days'];

export function parseTtlDays(value: unknown, issues: ValidationIssues): number {
  if (value === null) return LIMITS.ttlDaysDefault;
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  const days = Number(TTL.exec(text.trim())?.[1] ?? Number.NaN);
  if (days >= LIMITS.ttlDaysMin && days <= LIMITS.ttlDaysMax) return days;
  const { ttlDaysMin: min, ttlDaysMax: max } = LIMITS;
  issues.add(
    'TTL_INVALID',
    'ttl',
    `must be a whole number of days from ${min} to ${max}, such as 7, "7d" or "7 days".`,
  );
  return LIMITS.ttlDaysDefault;
}
