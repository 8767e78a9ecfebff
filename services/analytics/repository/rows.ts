import type { AccessFilter, AccessPlace } from '../../../shared/contracts/access-log.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { ALIKE_SPAN_MS } from '../alike-entries.ts';
import { hasWordsOf } from './index-words.ts';

/** The newest entries that are asked for: about so many, behind a place. */
interface Newest {
  after: AccessPlace | null;
  wanted: number;
  /** About how many entries may be looked at for them: of a row with several clients all are. */
  maxLookedAt?: number;
}

/** Nothing is as late. */
const AFTER_ALL = Date.UTC(9999, 0);

/**
 * Since when there are as many entries that pass a filter as are wanted, as far as rows tell: some of those at the ends of its time
 * may have fewer. Lists need it, as the order of rows is not quite that of their entries, and rows are read without being taken
 * apart. `isAll`: there are no older ones.
 */
export async function newestSince(
  sql: Query,
  filter: AccessFilter,
  { after, wanted, maxLookedAt = Number.MAX_SAFE_INTEGER }: Newest,
): Promise<{ since: number; isAll: boolean }> {
  const [found] = await sql<Array<{ entries: number; lookedAt: number; oldest: number | null }>>`
    select coalesce(sum(entries), 0)::bigint as entries, coalesce(sum(size), 0)::bigint as looked_at, min(oldest) as oldest
    from (
      select entries, size, oldest,
        sum(entries) over newest_first - entries as newer, sum(size) over newest_first - size as newer_looked_at
      from (
        select row_at, id, ${entriesOf(sql, filter)} as entries,
          ${sizeOf(sql)} as size,
          row_at - coalesce(span_ms, 0) * interval '1 millisecond' as oldest
        from access_rows
        where ${rowsMatching(sql, filter)} ${rowsBehind(sql, after)}
        order by row_at desc, id desc limit ${wanted}
      ) as row
      window newest_first as (order by row_at desc, id desc)
    ) as row
    where newer < ${wanted} and newer_looked_at < ${maxLookedAt}`;
  const { entries, lookedAt, oldest } = found ?? { entries: 0, lookedAt: 0, oldest: null };
  return {
    since: Math.max(filter.from ?? 0, oldest ?? AFTER_ALL),
    isAll: entries < wanted && lookedAt < maxLookedAt,
  };
}

/** How many entries a row has: one may stand for several requests. */
const sizeOf = (sql: Query) => sql`case when span_ms is null then 1 else requests end`;

/** How many entries of a row pass a filter; with several User-Agents one at least. */
function entriesOf(sql: Query, { clientIp, userAgent }: AccessFilter) {
  if (userAgent !== null) return sql`1`;
  if (clientIp === null) return sizeOf(sql);
  return sql`coalesce(cardinality(array_positions(client_ips, ${clientIp})), ${sizeOf(sql)})`;
}

/** The condition that a row may have entries that pass a filter. Indexes answer it. */
export function rowsMatching(sql: Query, filter: AccessFilter) {
  const { method, status, statusClass, pathPrefix, resource, userAgent, from, to } = filter;
  const none = sql``;
  return sql`
    true
    ${from === null ? none : sql`and row_at >= ${from}`}
    ${to === null ? none : sql`and row_at < ${to + ALIKE_SPAN_MS}`}
    ${hasWordsOf(sql, filter)}
    ${method === null ? none : sql`and method = ${method}`}
    ${status === null ? none : sql`and status = ${status}`}
    ${statusClass === null ? none : sql`and status / 100 = ${statusClass}`}
    ${pathPrefix === null ? none : sql`and starts_with(path, ${pathPrefix})`}
    ${resource === null ? none : about(sql, resource)}
    ${userAgent === null ? none : hasUserAgent(sql, userAgent)}`;
}

function about(sql: Query, { namespace, id, isAlsoId = false }: NonNullable<AccessFilter['resource']>) {
  if (isAlsoId) return sql`and (resource_namespace = ${namespace} or resource_id = ${namespace})`;
  return sql`
    and resource_namespace = ${namespace} ${id === null ? sql`` : sql`and resource_id = ${id}`}`;
}

const hasUserAgent = (sql: Query, part: string) => sql`
  and (
    row_user_agent ilike ${containing(part)}
    or array_to_string(user_agents, E'\\n') ilike ${containing(part)}
  )`;

/** The pattern of texts that contain a part. */
export const containing = (part: string): string => `%${part.replace(/[\\%_]/g, '\\$&')}%`;

/** The condition that a row may have entries behind a place. */
const rowsBehind = (sql: Query, place: AccessPlace | null) =>
  place === null ? sql`` : sql`and row_at <= ${place.createdAt + ALIKE_SPAN_MS}`;

/** The condition that an entry is behind a place. The condition on its row leaves younger days out. */
export const behind = (sql: Query, place: AccessPlace | null) =>
  place === null
    ? sql``
    : sql`${rowsBehind(sql, place)} and (created_at, id) < (${place.createdAt}::timestamptz, ${place.id})`;
