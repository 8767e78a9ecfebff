import { LIMITS, PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import { headerText } from '../http/header-text.ts';
import { parseId, parseNamespace } from './addresses.ts';
import type { Faults } from './faults.ts';
import { CONTROL, isLongerThan, pick } from './parameters.ts';
import { parseTtlDays } from './ttl.ts';

/** What every create may say besides its content (specification 4.1, shapes.md "Conventions"). */
export interface CreateParameters {
  namespace: string;
  id: string | null;
  tags: string[];
  ttlDays: number;
  /** `null`: the item is open to all. */
  password: string | null;
}

/** Where parameters come from, in the order of precedence: header, query, then our own JSON body. */
export interface ParameterSource {
  headers: Headers;
  query: URLSearchParams;
  body: Record<string, unknown>;
}

export function parseCreateParameters(source: ParameterSource, faults: Faults): CreateParameters {
  const { query, body } = source;
  return {
    namespace: parseNamespace(pick(query, body, ['ns', 'namespace']) ?? PUBLIC_NAMESPACE, faults),
    id: parseId(pick(query, body, ['id']), faults),
    tags: parseTags(query.has('tags') ? query.getAll('tags') : (body.tags ?? []), faults),
    ttlDays: parseTtlDays(pick(query, body, ['ttl', 'ttlDays']), faults),
    password: parsePassword(source, faults),
  };
}

function parseTags(value: unknown, faults: Faults): string[] {
  const parts = Array.isArray(value) ? value : [value];
  if (!parts.every((part) => typeof part === 'string')) {
    faults.add('VALIDATION_FAILED', 'tags', 'must be text separated by commas, or an array of text.');
    return [];
  }
  const tags = new Set(
    parts
      .flatMap((part) => part.split(','))
      .map((tag) => tag.trim().toLowerCase())
      .filter(Boolean),
  );
  if (tags.size > LIMITS.tags)
    faults.add('VALIDATION_FAILED', 'tags', `at most ${LIMITS.tags} are possible.`);
  for (const tag of tags) {
    if (!isLongerThan(tag, LIMITS.tagCharacters) && !CONTROL.test(tag) && tag.isWellFormed()) continue;
    faults.add(
      'VALIDATION_FAILED',
      'tags',
      `each has 1 to ${LIMITS.tagCharacters} characters, none of them control characters.`,
    );
    break;
  }
  return [...tags];
}

function parsePassword({ headers, query, body }: ParameterSource, faults: Faults): string | null {
  const value = headerText(headers, 'x-password') || pick(query, body, ['p', 'password']);
  if (value === null) return null;
  if (typeof value === 'string' && !isLongerThan(value, LIMITS.passwordCharacters)) return value;
  faults.add('VALIDATION_FAILED', 'password', `has 1 to ${LIMITS.passwordCharacters} characters.`);
  return null;
}
