import type { InputOf } from '../../../shared/contracts/operation.ts';
import type { OwnerSummary, OwnerTerms, setOwnerTerms } from '../../../shared/contracts/owner-admin.ts';
import type { Query } from '../../../shared/items/sql.ts';

export interface OwnerSearch {
  /** How the id or the label begins, in any case; `null`: all. */
  search: string | null;
  offset: number;
  limit: number;
}

/** Owners with live items or terms, those with most items first. Counting reads an index alone; bytes are summed for one page. */
export async function listOwners(
  sql: Query,
  { search, offset, limit }: OwnerSearch,
  now: number,
): Promise<OwnerSummary[]> {
  return await sql<OwnerSummary[]>`
    with known as (${knownOwners(sql, search, now)}),
    page as (select * from known order by item_count desc, owner_id offset ${offset} limit ${limit})
    select owner_id, html_count, kv_store_count, json_count, file_count, site_count, tier, label, first_seen,
      (
        select coalesce(sum(size_bytes), 0)::bigint from items
        where owner_hash = page.owner_id and kind <> 'kv' and expires_at > ${now}
      ) + (
        select coalesce(sum(entry.size_bytes), 0)::bigint from items
        join kv_entries as entry on entry.namespace = items.namespace and entry.id = items.id
        where owner_hash = page.owner_id and kind = 'kv' and expires_at > ${now}
      ) as stored_bytes
    from page order by item_count desc, owner_id`;
}

export async function countOwners(sql: Query, search: string | null, now: number): Promise<number> {
  const [found] = await sql<Array<{ count: number }>>`
    with known as (${knownOwners(sql, search, now)}) select count(*) as count from known`;
  return found?.count ?? 0;
}

function knownOwners(sql: Query, search: string | null, now: number) {
  const pattern = search === null ? '%' : `${literally(search.toLowerCase())}%`;
  const counted = (kind: string) => sql`count(*) filter (where kind = ${kind})`;
  return sql`
    select coalesce(holder.owner_id, owners.owner_id) as owner_id,
      coalesce(item_count, 0) as item_count, coalesce(html_count, 0) as html_count,
      coalesce(kv_store_count, 0) as kv_store_count, coalesce(json_count, 0) as json_count,
      coalesce(file_count, 0) as file_count, coalesce(site_count, 0) as site_count,
      coalesce(tier, 'DEFAULT') as tier, label, least(holder.first_seen, owners.first_seen) as first_seen
    from (
      select owner_hash as owner_id, count(*) as item_count, ${counted('html')} as html_count,
        ${counted('kv')} as kv_store_count, ${counted('json')} as json_count, ${counted('file')} as file_count,
        ${counted('site')} as site_count, min(created_at) as first_seen
      from items where expires_at > ${now} group by owner_hash
    ) as holder
    full join owners on owners.owner_id = holder.owner_id
    where coalesce(holder.owner_id, owners.owner_id) like ${pattern} or lower(label) like ${pattern}`;
}

/** Text that a pattern of LIKE finds as it is. */
const literally = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** Live items by kind, and how many have them. */
export async function countInventory(
  sql: Query,
  now: number,
): Promise<{ html: number; kvEntries: number; json: number; file: number; site: number; owners: number }> {
  const [counted] = await sql<
    Array<{ html: number; kvEntries: number; json: number; file: number; site: number; owners: number }>
  >`
    select count(*) filter (where kind = 'html') as html, count(*) filter (where kind = 'json') as json,
      count(*) filter (where kind = 'file') as file, count(*) filter (where kind = 'site') as site,
      count(distinct owner_hash) as owners,
      (
        select count(*) from kv_entries as entry
        join items as store on store.namespace = entry.namespace and store.id = entry.id
        where store.expires_at > ${now}
      ) as kv_entries
    from items where expires_at > ${now}`;
  return counted ?? { html: 0, kvEntries: 0, json: 0, file: 0, site: 0, owners: 0 };
}

/** Notes terms of an owner who has or had items. Returns what holds now; `null`: nobody knows such an owner. */
export async function saveTerms(
  sql: Query,
  terms: InputOf<typeof setOwnerTerms>,
): Promise<OwnerTerms | null> {
  const { ownerId, tier, maxTtlDays, label, note } = terms;
  const [saved] = await sql<OwnerTerms[]>`
    insert into owners (owner_id, tier, max_ttl_days, label, note, first_seen)
    select ${ownerId}, ${tier}, ${maxTtlDays}, ${label ?? null}, ${note ?? null}, first_seen
    from (
      select min(created_at) as first_seen from items where owner_hash = ${ownerId}
      union all select first_seen from owners where owner_id = ${ownerId}
    ) as seen
    where first_seen is not null limit 1
    on conflict (owner_id) do update set
      tier = excluded.tier, max_ttl_days = excluded.max_ttl_days,
      label = case when ${label !== undefined}::boolean then excluded.label else owners.label end,
      note = case when ${note !== undefined}::boolean then excluded.note else owners.note end
    returning owner_id, tier, max_ttl_days, label, note`;
  return saved ?? null;
}

export async function forgetTerms(sql: Query, ownerId: string): Promise<void> {
  await sql`delete from owners where owner_id = ${ownerId}`;
}
