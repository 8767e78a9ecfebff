import { errors } from '../../../../shared/errors.ts';
import { parseText } from '../../http/parameters.ts';
import { isLongerThan } from '../../http/text.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';

export const LABEL_CHARACTERS = 100;

/** The owner that a path names. @throws NOT_FOUND when no owner can have that id */
export function ownerNamed(ownerId: string): string {
  const id = ownerId.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(id)) return id;
  throw errors.ownerNotFound(ownerId);
}

/** The beginning of an id or label that a list of owners asks for; `null` for none. */
export const parseOwnerSearch = (query: URLSearchParams, issues: ValidationIssues): string | null =>
  parseText(query.get('search'), 'search', LABEL_CHARACTERS, issues);

/** Which tokens can be an owner's. */
export function parseToken(value: unknown, issues: ValidationIssues): string {
  const token = typeof value === 'string' ? value.trim() : '';
  if (token === '' || isLongerThan(token, 512)) {
    issues.add('VALIDATION_FAILED', 'token', 'must be an owner token, of at most 512 characters.');
  }
  return token;
}
