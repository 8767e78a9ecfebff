import type { AccessEntry, AccessFilter, AccessPlace } from '../../../shared/contracts/access-log.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { ALIKE_SPAN_MS } from '../alike-entries.ts';
import { hasWordsOf } from './index-words.ts';

const ENTRY_COLUMNS = [
  'id',
  'created_at',
  'request_id',
  'client_ip',
  'user_agent',
  'method',
  'path',
  'query',
  'status',
  'duration_ms',
  'requests',
  'referer',
  'resource_type',
  'resource_namespace',
  'resource_id',
];

/** Entries that pass a filter, newest first, behind a place. */
export async function listEntries(
  sql: Query,
  filter: AccessFilter,
  { after, offset, limit }: { after: AccessPlace | null; offset: number; limit: number },
): Promise<AccessEntry[]> {
  const passing = sql`select ${sql(ENTRY_COLUMNS)} from access_entries where ${matching(sql, filter)} ${behind(sql, after)}`;
  const page = sql`order by created_at desc, id desc offset ${offset} limit ${limit}`;
  // The order of rows is not quite that of their entries.
  const found = await sql<Array<AccessEntry & { oldest: number }>>`
    select *, min(created_at) over () as oldest
    from (${passing} order by row_at desc limit ${offset + limit}) as entry ${page}`;
  const [{ oldest } = { oldest: 0 }] = found;
  if (found.length < limit) return found.map(({ oldest: _, ...entry }) => entry);
  // The newest are not older than the oldest of any so many.
  return await sql<AccessEntry[]>`${passing} and row_at >= ${oldest} and created_at >= ${oldest} ${page}`;
}

/**
 * The filter, from a time on since which as many of its newest entries came as are wanted. They are found by their rows, whose
 * order is not quite that of the entries; the oldest of any so many is at most as old as that of the newest.
 */
export async function narrowed<Filter extends AccessFilter>(
  sql: Query,
  filter: Filter,
  after: AccessPlace | null,
  wanted: number,
): Promise<Filter> {
  const [found] = await sql<Array<{ entries: number; oldest: number | null }>>`
    select count(*) as entries, min(created_at) as oldest from (
      select created_at from access_entries
      where ${matching(sql, filter)} ${behind(sql, after)} order by row_at desc limit ${wanted}
    ) as entry`;
  return found === undefined || found.oldest === null || found.entries < wanted
    ? filter
    : { ...filter, from: found.oldest };
}

/** How many requests the entries stand for that pass a filter, and how many entries those are: up to a bound of them. */
export async function countEntries(
  sql: Query,
  filter: AccessFilter,
  bound: number,
): Promise<{ entries: number; requests: number }> {
  const [found] = await sql<Array<{ entries: number; requests: number }>>`
    select count(*) as entries, coalesce(sum(requests), 0)::bigint as requests
    from (select requests from access_entries where ${matching(sql, filter)} limit ${bound}) as entry`;
  return found ?? { entries: 0, requests: 0 };
}

/** The first condition leaves younger days out, which the second alone would not. */
const behind = (sql: Query, place: AccessPlace | null) =>
  place === null
    ? sql``
    : sql`
      and row_at <= ${place.createdAt + ALIKE_SPAN_MS}
      and (created_at, id) < (${place.createdAt}::timestamptz, ${place.id})`;

/** The condition that an entry passes a filter. Indexes answer what is said of its row. */
export function matching(sql: Query, filter: AccessFilter) {
  const { method, status, statusClass, pathPrefix, resource, userAgent, from, to } = filter;
  const none = sql``;
  return sql`
    true
    ${from === null ? none : sql`and row_at >= ${from} and created_at >= ${from}`}
    ${to === null ? none : sql`and row_at < ${to + ALIKE_SPAN_MS} and created_at < ${to}`}
    ${hasWordsOf(sql, filter)}
    ${method === null ? none : sql`and method = ${method}`}
    ${status === null ? none : sql`and status = ${status}`}
    ${statusClass === null ? none : sql`and status / 100 = ${statusClass}`}
    ${pathPrefix === null ? none : sql`and starts_with(path, ${pathPrefix})`}
    ${resource === null ? none : about(sql, resource)}
    ${userAgent === null ? none : sql`and user_agent ilike ${`%${literally(userAgent)}%`}`}`;
}

function about(sql: Query, { namespace, id, isAlsoId = false }: NonNullable<AccessFilter['resource']>) {
  if (isAlsoId) return sql`and (resource_namespace = ${namespace} or resource_id = ${namespace})`;
  return sql`
    and resource_namespace = ${namespace} ${id === null ? sql`` : sql`and resource_id = ${id}`}`;
}

/** Text that a pattern of LIKE finds as it is. */
const literally = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
