import type { ValidationIssues } from '../http/validation-issues.ts';

/** The types of bodies and the parameters that a create of one kind takes. */
export interface CreateRules {
  /** Types of bodies, of files those of the file; errors about a body's type and content name them. */
  supportedTypes: readonly string[];
  /** Its own parameters of the query, beside those of every create. */
  parameters: readonly string[];
}

/** The names of parameters that every create takes (specification 3.1). */
const COMMON = [
  ...['ns', 'namespace', 'id', 'tags', 'ttl', 'ttlDays', 'ttl_days', 'title', 'p', 'password', 'token'],
];

/** Parameters of pages: a client that sends the same to every create may send them with other kinds, too. */
const WITHOUT_EFFECT = ['format', 'filename', 'showTopBar'];

/** Names that other services have for a parameter, in lower case. */
const MEANT: Record<string, string> = {
  name: 'title',
  slug: 'id',
  tag: 'tags',
  type: 'format',
  index: 'entry',
  file_name: 'filename',
  expire: 'ttl',
  expires: 'ttl',
  expiry: 'ttl',
  days: 'ttl',
  lifetime: 'ttl',
  pass: 'password',
  pwd: 'password',
  owner: 'token',
  ownertoken: 'token',
  owner_token: 'token',
  topbar: 'showTopBar',
};

/** Most unknown parameters that one answer names. */
const MAX_NAMED = 10;

/**
 * Refuses parameters that a create does not know: one with a slip in its name would publish to everybody what was meant for
 * a namespace, or without its password.
 */
export function refuseUnknown(
  query: URLSearchParams,
  { parameters }: CreateRules,
  issues: ValidationIssues,
): void {
  const known = [...COMMON, ...parameters];
  const unknown = [...new Set(query.keys())].filter(
    (name) => !known.includes(name) && !WITHOUT_EFFECT.includes(name),
  );
  for (const name of unknown.slice(0, MAX_NAMED)) {
    const meant = nearest(name, known);
    const hint = meant === null ? `It takes ${known.join(', ')}.` : `Did you mean "${meant}"?`;
    issues.add(name.slice(0, 100), `is not a parameter of this create. ${hint}`);
  }
}

/** The known name that an unknown one is most like; `null` when it is like none. */
function nearest(name: string, known: string[]): string | null {
  const asked = name.trim().toLowerCase().slice(0, 30);
  const meant = MEANT[asked];
  if (meant !== undefined && known.includes(meant)) return meant;
  const [best] = known
    .map((one) => ({ one, distance: editDistance(asked, one.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  if (best === undefined) return null;
  // At most half of the name may differ: two changes make any short name into another.
  return best.distance <= Math.min(2, Math.floor(best.one.length / 2)) ? best.one : null;
}

/** How many characters to insert, remove, change or swap with the next one to make one text of the other. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        isSwap ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
