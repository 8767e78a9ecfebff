import { errors } from '../../../shared/errors.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import type { ValidationIssues } from '../http/validation-issues.ts';

/** Days: `7`, `"7"`, `"7d"`, `"7 days"`, `"1 day"`, in any case and with spaces (specification 3.1). */
const TTL = /^(\d{1,3})(?:\s{0,20}(?:d|days?))?$/i;

/** The names of the parameter; of several that are sent the first here counts. */
export const TTL_NAMES = ['ttl', 'ttlDays', 'ttl_days'];

/**
 * @param mayBePrivileged whether the request names an owner, who may be allowed a longer life than everybody: what is
 * longer is to be checked with `assertLifeAllowed`, and is by the services
 */
export function parseTtlDays(value: unknown, issues: ValidationIssues, mayBePrivileged: boolean): number {
  if (value === null) return LIMITS.ttlDaysDefault;
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  const days = Number(TTL.exec(text.trim())?.[1] ?? Number.NaN);
  const { ttlDaysMin, ttlDaysMax, privilegedTtlDaysMax } = LIMITS;
  if (days >= ttlDaysMin && days <= (mayBePrivileged ? privilegedTtlDaysMax : ttlDaysMax)) return days;
  for (const { field, message } of errors.ttlTooLong(ttlDaysMax).details) {
    issues.add('TTL_INVALID', field, message);
  }
  return LIMITS.ttlDaysDefault;
}
