import type { AccessEntry, AccessFilter, AccessPlace } from '../../../shared/contracts/access-log.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { behind, containing, newestSince, rowsMatching } from './rows.ts';

/** Entries that pass a filter, newest first, behind a place. */
export async function listEntries(
  sql: Query,
  filter: AccessFilter,
  { after, offset, limit }: { after: AccessPlace | null; offset: number; limit: number },
): Promise<AccessEntry[]> {
  for (let sought = offset + limit; ; sought *= 4) {
    const { since, isAll } = await newestSince(sql, filter, { after, wanted: sought });
    const found = await sql<AccessEntry[]>`
      select id, created_at, request_id, client_ip, user_agent, method, path, query, status, duration_ms, requests,
        referer, resource_type, resource_namespace, resource_id
      from access_entries
      where ${matching(sql, { ...filter, from: since })} ${behind(sql, after)}
      order by created_at desc, id desc offset ${offset} limit ${limit}`;
    if (isAll || found.length === limit) return found;
  }
}

/** How many requests the entries stand for that pass a filter, and how many entries those are: up to a bound of them. */
export async function countEntries(
  sql: Query,
  filter: AccessFilter,
  bound: number,
): Promise<{ entries: number; requests: number }> {
  const [found] = await sql<Array<{ entries: number; requests: number }>>`
    select count(*) as entries, coalesce(sum(requests), 0)::bigint as requests
    from (select requests from ${timings(sql, filter)} where ${matching(sql, filter)} limit ${bound}) as entry`;
  return found ?? { entries: 0, requests: 0 };
}

/** The view to read times, statuses and durations of entries from that pass a filter: the faster one, where clients do not matter. */
export const timings = (sql: Query, { clientIp, userAgent }: AccessFilter) =>
  clientIp === null && userAgent === null ? sql`access_timings` : sql`access_entries`;

/** The condition that an entry passes a filter. */
export function matching(sql: Query, filter: AccessFilter) {
  const { clientIp, userAgent, from, to } = filter;
  const none = sql``;
  return sql`
    ${rowsMatching(sql, filter)}
    ${from === null ? none : sql`and created_at >= ${from}`}
    ${to === null ? none : sql`and created_at < ${to}`}
    ${clientIp === null ? none : sql`and client_ip = ${clientIp}`}
    ${userAgent === null ? none : sql`and user_agent ilike ${containing(userAgent)}`}`;
}
