import type { Publication, PublicationFilter } from '../../../shared/contracts/publications.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** A publication, and the blob that names its content; `null` of a store. */
type ListedItem = Publication & { blobKey: string | null };

/** Items that have not expired and pass a filter, newest first. */
export async function listPublications(
  sql: Query,
  filter: PublicationFilter,
  { offset, limit }: { offset: number; limit: number },
  now: number,
): Promise<ListedItem[]> {
  return await sql<ListedItem[]>`
    select namespace, id, kind, code, title, tags, password_hash is not null as has_password,
      case kind when 'kv' then (
        select coalesce(sum(entry.size_bytes), 0)::bigint from kv_entries as entry
        where entry.namespace = items.namespace and entry.id = items.id
      ) else size_bytes end as size_bytes,
      views, owner_hash as owner_id, client_ip, user_agent,
      case when quarantine is not null then 'quarantined' when hidden then 'hidden' else 'live' end as state,
      quarantine - 'hidden' as quarantine, content ->> 'blobKey' as blob_key, created_at, expires_at
    from items where ${matching(sql, filter, now)}
    order by created_at desc, namespace desc, id desc offset ${offset} limit ${limit}`;
}

/** How many items pass a filter, up to a bound. */
export async function countPublications(
  sql: Query,
  filter: PublicationFilter,
  bound: number,
  now: number,
): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    select count(*) as count from (select from items where ${matching(sql, filter, now)} limit ${bound}) as found`;
  return found?.count ?? 0;
}

const matching = (
  sql: Query,
  { kind, namespace, id, state, ownerId = null, clientIp = null }: PublicationFilter,
  now: number,
) => sql`
  expires_at > ${now}
  ${kind === null ? sql`` : sql`and kind = ${kind}`}
  ${namespace === null ? sql`` : sql`and namespace = ${namespace}`}
  ${id === null ? sql`` : sql`and id = ${id}`}
  ${ownerId === null ? sql`` : sql`and owner_hash = ${ownerId}`}
  ${clientIp === null ? sql`` : sql`and client_ip = ${clientIp}`}
  ${state === null ? sql`` : sql`and ${STATES[state](sql)}`}`;

const STATES = {
  live: (sql: Query) => sql`not hidden`,
  hidden: (sql: Query) => sql`(hidden and quarantine is null)`,
  quarantined: (sql: Query) => sql`quarantine is not null`,
};
