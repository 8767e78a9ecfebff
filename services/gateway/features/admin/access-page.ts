import type { AccessPlace } from '../../../../shared/contracts/access-log.ts';
import { parseCount } from '../../http/numbered-page.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';

const ACCESS_LIMIT = { default: 100, max: 1_000 };

/** Largest offset. The database reads every row that an offset skips; clients that go further use the cursor. */
const ACCESS_OFFSET_MAX = 100_000;

/** The last moment that the database holds in every time zone, in ms since the epoch: the end of the year 9998. */
const LAST_MOMENT = Date.UTC(9999, 0) - 1;

/** The requested part of the access log: behind `after`, `offset` entries are skipped, then `limit` are returned. */
export interface AccessPage {
  limit: number;
  offset: number;
  after: AccessPlace | null;
}

/** `limit`, `offset` and `cursor` of a query (specification 18.3). */
export function parseAccessPage(query: URLSearchParams, issues: ValidationIssues): AccessPage {
  const cursor = query.get('cursor')?.trim() || null;
  const offset = query.get('offset')?.trim() || null;
  if (cursor !== null && offset !== null) {
    issues.add('VALIDATION_FAILED', 'offset', 'cannot be combined with "cursor".');
  }
  return {
    limit: parseCount(query, 'limit', ACCESS_LIMIT.max, issues) ?? ACCESS_LIMIT.default,
    offset: offset === null ? 0 : parseOffset(offset, issues),
    after: cursor === null ? null : parseCursor(cursor, issues),
  };
}

function parseOffset(text: string, issues: ValidationIssues): number {
  const offset = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (offset <= ACCESS_OFFSET_MAX) return offset;
  issues.add(
    'VALIDATION_FAILED',
    'offset',
    `must be a whole number from 0 to ${ACCESS_OFFSET_MAX}; to go further use "cursor".`,
  );
  return 0;
}

/** A place as a cursor: opaque to clients. */
export const cursorOf = ({ createdAt, id }: AccessPlace): string =>
  Buffer.from(`${createdAt}.${id}`).toString('base64url');

function parseCursor(text: string, issues: ValidationIssues): AccessPlace | null {
  const [, createdAt, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const place = { createdAt: Number(createdAt), id: Number(id) };
  // Without a match the moment is NaN. The decoder passes over what is no base64: only what it would have been made of is
  // a cursor.
  if (place.createdAt <= LAST_MOMENT && cursorOf(place) === text) return place;
  issues.add('VALIDATION_FAILED', 'cursor', 'must be the "nextCursor" of an earlier answer.');
  return null;
}
