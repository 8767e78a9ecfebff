import { KINDS, type Kind } from '../../../shared/items/item.ts';
import type { ValidationIssues } from './validation-issues.ts';

/** `kind` of a list's query, which may have another name; `null` for all kinds. */
export function parseKind(query: URLSearchParams, issues: ValidationIssues, name = 'kind'): Kind | null {
  const text = query.get(name)?.trim() ?? '';
  if (text === '') return null;
  const kind = KINDS.find((known) => known === text);
  if (kind === undefined) issues.add('VALIDATION_FAILED', name, `must be one of ${KINDS.join(', ')}.`);
  return kind ?? null;
}
