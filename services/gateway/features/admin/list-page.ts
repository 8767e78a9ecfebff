import { parseCount } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues, type ValidationIssues } from '../../http/validation-issues.ts';

/** Largest offset. The database reads every row that an offset skips; clients that go further use the cursor. */
const OFFSET_MAX = 100_000;

/** The last moment that the database holds in every time zone, in ms since the epoch: the end of the year 9998. */
const LAST_MOMENT = Date.UTC(9999, 0) - 1;

/** An entry's place in a list: behind it come older ones. */
export interface ListPlace {
  /** Time of creation, in ms since the epoch. */
  createdAt: number;
  id: string;
}

/** The requested part of a list: behind `after`, `offset` entries are skipped, then `limit` are returned. */
export interface ListPage {
  limit: number;
  offset: number;
  after: ListPlace | null;
}

interface PageRules {
  default: number;
  max: number;
  /** Pattern of the list's ids; `null`: it has no cursor. */
  id: RegExp | null;
}

/**
 * The query of a list: the requested part of it, and its own filter.
 * @throws VALIDATION_FAILED that names every issue of both
 */
export function parseListQuery<F>(
  query: URLSearchParams,
  rules: PageRules,
  parseFilter: (query: URLSearchParams, issues: ValidationIssues) => F,
): { page: ListPage; filter: F } {
  const issues = collectIssues();
  const page = parseListPage(query, rules, issues);
  const filter = parseFilter(query, issues);
  issues.throwIfAny();
  return { page, filter };
}

/** One word of a few that a query names; `null` when it names none. */
export function parseOneOf<T extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly T[],
  issues: ValidationIssues,
): T | null {
  const asked = query.get(name)?.trim() || null;
  const word = words.find((known) => known === asked) ?? null;
  if (word !== asked) issues.add(name, `must be one of ${words.join(', ')}.`);
  return word;
}

/** `limit`, `offset` and `cursor` of a query (specification 18.1). */
function parseListPage(query: URLSearchParams, rules: PageRules, issues: ValidationIssues): ListPage {
  const cursor = rules.id === null ? null : query.get('cursor')?.trim() || null;
  const offset = query.get('offset')?.trim() || null;
  if (cursor !== null && offset !== null) {
    issues.add('offset', 'cannot be combined with "cursor".');
  }
  return {
    limit: parseCount(query, 'limit', rules.max, issues) ?? rules.default,
    offset: offset === null ? 0 : parseOffset(offset, rules, issues),
    after: cursor === null || rules.id === null ? null : parseCursor(cursor, rules.id, issues),
  };
}

function parseOffset(text: string, { id }: PageRules, issues: ValidationIssues): number {
  const offset = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (offset <= OFFSET_MAX) return offset;
  const further = id === null ? '' : '; to go further use "cursor"';
  issues.add('offset', `must be a whole number from 0 to ${OFFSET_MAX}${further}.`);
  return 0;
}

/** A place as a cursor: opaque to clients. */
export const cursorOf = ({ createdAt, id }: ListPlace): string =>
  Buffer.from(`${createdAt}.${id}`).toString('base64url');

function parseCursor(text: string, ids: RegExp, issues: ValidationIssues): ListPlace | null {
  const [, createdAt, id = ''] =
    /^(\d{1,15})\.([\w-]{1,64})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const place = { createdAt: Number(createdAt), id };
  // No match gives NaN, which fails the comparison. `Buffer` skips characters that are not base64, so the place is encoded
  // again and compared.
  if (place.createdAt <= LAST_MOMENT && ids.test(id) && cursorOf(place) === text) return place;
  issues.add('cursor', 'must be that of the link "next" of an earlier answer.');
  return null;
}

interface ListTotal {
  count: number;
  /** Whether there are more, which were not counted. */
  isLowerBound?: boolean;
}

/** A part of a list as a JSON array, with the number of all in a header, and in another where it goes on. */
export function answerList(
  entries: object[],
  total: ListTotal,
  next: { context: RequestContext; after: ListPlace | null } | null = null,
): Response {
  return Response.json(entries, {
    headers: {
      'Cache-Control': 'no-store',
      'X-Total-Count': String(total.count),
      ...(total.isLowerBound ? { 'X-Total-Is-Lower-Bound': 'true' } : {}),
      ...(next === null || next.after === null ? {} : { Link: nextLink(next.context, next.after) }),
    },
  });
}

/** The address of the rest of the list, with all that this request has asked for (RFC 8288). */
function nextLink(context: RequestContext, after: ListPlace): string {
  const query = new URLSearchParams(context.query());
  query.delete('offset');
  query.set('cursor', cursorOf(after));
  return `<${context.baseUrl}${context.path}?${query}>; rel="next"`;
}
