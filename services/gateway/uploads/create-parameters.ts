import { errors } from '../../../shared/errors.ts';
import type { DeliveryMode } from '../../../shared/items/delivery-mode.ts';
import { LIMITS, PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import { isLine, isLongerThan } from '../../../shared/wording/line.ts';
import { ownerTokenOf } from '../auth/owner-token.ts';
import { parseText, pick } from '../http/parameters.ts';
import type { RequestContext } from '../http/request-context.ts';
import { headerText } from '../http/text.ts';
import type { ValidationIssues } from '../http/validation-issues.ts';
import { parseDeliveryMode } from '../items/hosting.ts';
import { parseId, parseNamespace } from '../items/item-address.ts';

/** The parameters that every create accepts besides its content (specification 3.1). */
export interface CreateParameters {
  namespace: string;
  id: string | null;
  tags: string[];
  ttlDays: number;
  /** `null`: the item is open to all. */
  password: string | null;
  /** Where it is to be served; `null`: where the service has it by default. */
  deliveryMode: DeliveryMode | null;
  /** `null`: the kind derives a title from the content. */
  title: string | null;
}

/** Where parameters come from, in the order of precedence: header, query, then our own JSON body. */
interface ParameterSource {
  headers: Headers;
  query: URLSearchParams;
  body: Record<string, unknown>;
}

/** The parameters of a create. @param body the fields of its body */
export function parseCreate(
  context: RequestContext,
  body: Record<string, unknown>,
  issues: ValidationIssues,
): CreateParameters {
  const query = context.query();
  const { headers } = context.request;
  const source = { headers, query, body };
  const isOwned = ownerTokenOf(context) !== null;
  return {
    namespace: givenNamespace(source, issues),
    id: parseId(pick(query, body, ['id']), issues),
    tags: parseTags(source, issues) ?? [],
    ttlDays: parseTtlDays(pick(query, body, TTL_NAMES), issues, isOwned),
    password: parsePassword(source, issues),
    deliveryMode: parseDeliveryMode(headerText(headers, 'x-delivery-mode'), 'X-Delivery-Mode', issues),
    title: parseText(pick(query, body, ['title']), 'title', LIMITS.titleCharacters, issues),
  };
}

/** An empty name is a variable without a value in somebody's script: the item was not meant for everybody. */
function givenNamespace({ query, body }: ParameterSource, issues: ValidationIssues): string {
  const names = ['ns', 'namespace'];
  const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';
  if (names.some((name) => isBlank(query.get(name)) || isBlank(body[name]))) {
    issues.add(
      'ns',
      'is empty. Leave it out to publish in "public", for everybody to find.',
      'NAMESPACE_INVALID',
    );
    return PUBLIC_NAMESPACE;
  }
  return parseNamespace(pick(query, body, names) ?? PUBLIC_NAMESPACE, issues);
}

/** The tags of a request; `null` when it names none. */
export function parseTags(
  { query, body }: Pick<ParameterSource, 'query' | 'body'>,
  issues: ValidationIssues,
): string[] | null {
  const inQuery = query.getAll('tags');
  const value = inQuery.some((tags) => tags.trim() !== '') ? inQuery : body.tags;
  if (value === undefined || value === null || value === '') return null;
  const parts = Array.isArray(value) ? value : [value];
  if (!parts.every((part) => typeof part === 'string')) {
    issues.add('tags', 'must be text separated by commas, or an array of text.');
    return [];
  }
  const tags = new Set(
    parts
      .flatMap((part) => part.split(','))
      .map((tag) => tag.trim().toLowerCase())
      .filter(Boolean),
  );
  if (tags.size > LIMITS.tags) issues.add('tags', `at most ${LIMITS.tags} are possible.`);
  for (const tag of tags) {
    if (!isLongerThan(tag, LIMITS.tagCharacters) && isLine(tag)) continue;
    issues.add('tags', `each has 1 to ${LIMITS.tagCharacters} characters, none of them control characters.`);
    break;
  }
  return [...tags];
}

/**
 * Only an empty password means none: a client that sends a blank one wants to protect the item. A password that a header
 * cannot carry is refused, because a read could not send it either.
 */
function parsePassword(source: ParameterSource, issues: ValidationIssues): string | null {
  const value = givenPassword(source);
  if (value === null) return null;
  const refuse = (message: string): void => issues.add('password', message);
  if (typeof value !== 'string') refuse('must be text.');
  else if (isLongerThan(value, LIMITS.passwordCharacters))
    refuse(`has 1 to ${LIMITS.passwordCharacters} characters.`);
  else if (!isLine(value))
    refuse('must not contain control characters or half a surrogate pair: a header cannot carry them.');
  else if (value !== value.trim()) refuse('must not begin or end with white space.');
  else return value;
  return null;
}

/** The first password given that is not empty. A blank one counts, unlike with `pick`. */
function givenPassword({ headers, query, body }: ParameterSource): unknown {
  const names = ['p', 'password'];
  const given: unknown[] = [
    headerText(headers, 'x-password'),
    ...names.map((name) => query.get(name)),
    ...names.map((name) => body[name]),
  ];
  return given.find((value) => value !== undefined && value !== null && value !== '') ?? null;
}

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
    issues.add(field, message, 'TTL_INVALID');
  }
  return LIMITS.ttlDaysDefault;
}

/** A bare file name (specification 4.1); `null` when absent. */
export function parseFilename(value: unknown, issues: ValidationIssues): string | null {
  const filename = parseText(value, 'filename', LIMITS.filenameCharacters, issues);
  if (filename === null || !/[/\\]/.test(filename)) return filename;
  issues.add('filename', 'is a bare name, without / or \\.');
  return null;
}
