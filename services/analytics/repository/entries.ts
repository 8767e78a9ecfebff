import type {
  AccessEntry,
  AccessEvent,
  AccessFilter,
  AccessPlace,
} from '../../../shared/contracts/access-log.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { hasWordsOf } from './index-words.ts';

/** Writes entries, one at least. The day of each must be there. */
export async function insertEntries(sql: Query, events: readonly AccessEvent[]): Promise<void> {
  const { numbers, texts } = createArrayLiterals();
  /** A column of texts; of one that is the same in all, as in nearly all of a busy batch, the text itself. */
  const text = (textOf: (event: AccessEvent) => string | null) => {
    const column = events.map(textOf);
    const [first = null] = column;
    const isOne = column.every((value) => value === first);
    return isOne ? sql`${first}::text` : sql`unnest(${texts(column)}::text[])`;
  };
  // Side by side in the list: as a table function of its own each column would first be kept as a table.
  await sql`
    insert into access_log (
      created_at, request_id, client_ip, user_agent, method, path, query, status, duration_ms, requests,
      referer, resource_type, resource_namespace, resource_id
    )
    select
      to_timestamp(unnest(${numbers(events.map(({ at }) => at))}::float8[]) / 1000),
      ${text(({ requestId }) => requestId)},
      ${text(({ clientIp }) => clientIp)},
      ${text(({ userAgent }) => userAgent)},
      ${text(({ method }) => method)},
      ${text(({ path }) => path)},
      ${text(({ query }) => query)},
      unnest(${numbers(events.map(({ status }) => status))}::smallint[]),
      unnest(${numbers(events.map(({ durationMs }) => durationMs))}::float8[]),
      unnest(${numbers(events.map(({ requests = 1 }) => requests))}::integer[]),
      ${text(({ referer }) => referer)},
      ${text(({ resourceType }) => resourceType)},
      ${text(({ resourceNamespace }) => resourceNamespace)},
      ${text(({ resourceId }) => resourceId)}`;
}

/** Entries that pass a filter, newest first, behind a place. */
export async function listEntries(
  sql: Query,
  filter: AccessFilter,
  { after, offset, limit }: { after: AccessPlace | null; offset: number; limit: number },
): Promise<AccessEntry[]> {
  return await sql<AccessEntry[]>`
    select id, created_at, request_id, client_ip, user_agent, method, path, query, status, duration_ms, requests,
      referer, resource_type, resource_namespace, resource_id
    from access_log
    where ${matching(sql, filter)} ${after === null ? sql`` : behind(sql, after)}
    order by created_at desc, id desc offset ${offset} limit ${limit}`;
}

/** How many requests the entries stand for that pass a filter, and how many entries those are: up to a bound of them. */
export async function countEntries(
  sql: Query,
  filter: AccessFilter,
  bound: number,
): Promise<{ entries: number; requests: number }> {
  const [found] = await sql<Array<{ entries: number; requests: number }>>`
    select count(*) as entries, coalesce(sum(requests), 0)::bigint as requests
    from (select requests from access_log where ${matching(sql, filter)} limit ${bound}) as entry`;
  return found ?? { entries: 0, requests: 0 };
}

/** The first condition leaves younger days out, which the second alone would not. */
const behind = (sql: Query, { createdAt, id }: AccessPlace) =>
  sql`and created_at <= ${createdAt} and (created_at, id) < (${createdAt}, ${id})`;

/** The condition that an entry passes a filter. */
export function matching(sql: Query, filter: AccessFilter) {
  const { clientIp, method, status, statusClass, pathPrefix, resource, userAgent, from, to } = filter;
  const none = sql``;
  return sql`
    true
    ${from === null ? none : sql`and created_at >= ${from}`}
    ${to === null ? none : sql`and created_at < ${to}`}
    ${clientIp === null ? none : sql`and client_ip = ${clientIp}`}
    ${method === null ? none : sql`and method = ${method}`}
    ${status === null ? none : sql`and status = ${status}`}
    ${statusClass === null ? none : sql`and status / 100 = ${statusClass}`}
    ${hasWordsOf(sql, filter)}
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

/**
 * Columns as PostgreSQL reads arrays (its manual, "Array Value Input Syntax"). The client writes them, too, but quotes
 * each number and searches each text anew, which took longer than all else in `analytics`.
 */
interface ArrayLiterals {
  numbers(values: readonly number[]): string;
  texts(values: readonly (string | null)[]): string;
}

/** Quotes columns that have texts in common: each text is quoted once. */
function createArrayLiterals(): ArrayLiterals {
  const known = new Map<string | null, string>([[null, 'null']]);
  let last: string | null = null;
  let literalOfLast = 'null';
  const quoted = (text: string | null): string => {
    if (text === last) return literalOfLast;
    last = text;
    literalOfLast = known.get(text) ?? quoteFirst(text);
    return literalOfLast;
  };
  const quoteFirst = (text: string | null): string => {
    const literal = `"${(text ?? '').replace(/[\\"]/g, '\\$&')}"`;
    known.set(text, literal);
    return literal;
  };
  return {
    numbers: (values) => `{${values.join(',')}}`,
    texts: (values) => `{${values.map(quoted).join(',')}}`,
  };
}
