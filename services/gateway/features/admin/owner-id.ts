import { errors } from '../../../../shared/errors.ts';
import { isLongerThan } from '../../http/parameters.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';

export const LABEL_CHARACTERS = 100;

/** The owner that a path names. @throws NOT_FOUND when no owner can have that id */
export function ownerNamed(ownerId: string): string {
  const id = ownerId.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(id)) return id;
  throw errors.ownerNotFound(ownerId);
}

/** Which tokens can be an owner's. */
export function parseToken(value: unknown, issues: ValidationIssues): string {
  const token = typeof value === 'string' ? value.trim() : '';
  if (token === '' || isLongerThan(token, 512)) {
    issues.add('VALIDATION_FAILED', 'token', 'must be an owner token, of at most 512 characters.');
  }
  return token;
}
