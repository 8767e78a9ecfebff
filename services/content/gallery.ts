import type { GalleryItem, GallerySort, listGallery } from '../../shared/contracts/gallery.ts';
import type { InputOf } from '../../shared/contracts/operation.ts';
import type { Query } from '../../shared/items/sql.ts';
import type { GallerySearch } from './gallery-search.ts';

// An item with `search` is a listed one. That it is not null stands in the text of each query, as in the indexes.

export type GalleryFilter = Omit<InputOf<typeof listGallery>, 'search'>;

/** One page of the listed items that a filter lets through, in order. */
export async function listListed(sql: Query, filter: GalleryFilter, now: number): Promise<GalleryItem[]> {
  const { sort, offset, limit } = filter;
  return await sql<GalleryItem[]>`
    select ${galleryColumns(sql)}
    from (
      select id, ${sort === 'views' ? sql`views,` : sql``} created_at from items as page where ${isListed(sql, filter, now)}
      ${orderOf(sql, sort)} offset ${offset} limit ${limit}
    ) as page
    join items as item on item.namespace = 'public' and item.id = page.id
    ${orderOf(sql, sort)}`;
}

/**
 * Searches the listed items, best matches first, and counts them: ranking looks at every match anyway. A whole word
 * ranks above a word that only begins alike.
 */
export async function searchListed(
  sql: Query,
  { search, ...filter }: GalleryFilter & { search: GallerySearch },
  now: number,
): Promise<{ items: GalleryItem[]; total: number }> {
  const { sort, offset, limit } = filter;
  const rows = await sql<Array<GalleryItem & { total: number; found: boolean }>>`
    with query as materialized (${searchQuery(sql, search)}),
    found as materialized (
      select id, created_at, views, ts_rank(search, query.words) + ts_rank(search, query.exact) as rank
      from items cross join query where ${isListed(sql, filter, now)} and search @@ query.words
    )
    select counted.total, item.id is not null as found, ${galleryColumns(sql)}
    from (select count(*) as total from found) as counted
    left join (
      select * from found as page ${orderOf(sql, sort, true)} offset ${offset} limit ${limit}
    ) as page on true
    left join items as item on item.namespace = 'public' and item.id = page.id
    ${orderOf(sql, sort, true)}`;
  const items = rows.filter(({ found }) => found).map(({ total: _, found: __, ...item }) => item);
  return { items, total: rows[0]?.total ?? 0 };
}

/** Whether the operator has not hidden it. By id, as that stands in the indexes: hidden items are few. */
const isShown = (sql: Query) => sql`
  id not in (select hidden.id from items as hidden where hidden.hidden and hidden.namespace = 'public')`;

/**
 * A generic plan takes a comparison with a parameter to hold for a third of all rows, and would read nearly all of the index on
 * `expires_at` beside that of words. `is true` can use no index.
 */
const isLive = (sql: Query, now: number) => sql`(expires_at > ${now}) is true`;

const isListed = (sql: Query, { kind, tag }: Pick<GalleryFilter, 'kind' | 'tag'>, now: number) => sql`
  search is not null and ${isLive(sql, now)} and ${isShown(sql)}
  ${kind === null ? sql`` : sql`and kind = ${kind}`}
  ${tag === null ? sql`` : sql`and tags @> array[${tag}]::text[]`}`;

const orderOf = (sql: Query, sort: GallerySort, ranked = false) => sql`
  order by ${ranked ? sql`page.rank desc,` : sql``} ${sort === 'views' ? sql`page.views desc,` : sql``}
    page.created_at desc, page.id desc`;

const galleryColumns = (sql: Query) => sql`
  item.namespace, item.id, item.kind, item.code, item.title, item.tags,
  case item.kind when 'kv' then (
    select coalesce(sum(entry.size_bytes), 0)::bigint from kv_entries as entry
    where entry.namespace = item.namespace and entry.id = item.id
  ) else item.size_bytes end as size_bytes,
  item.views, item.created_at, item.expires_at, item.content ->> 'blobKey' as source, (
    select jsonb_build_object('key', blob_key, 'width', width, 'height', height) from item_pictures as made
    where made.code = item.code and blob_key is not null
  ) as picture`;

/** `words` is what must be there; `exact` has no prefix. A query takes one where its text form ends with a word. */
const searchQuery = (sql: Query, { operators, terms, prefixed }: GallerySearch) => sql`
  select form::tsquery as exact,
    case when ${prefixed}::boolean and form ~ '''$' then (form || ':*')::tsquery else form::tsquery end as words
  from (
    select websearch_to_tsquery(
      'pg_catalog.simple', string_agg(operator || '"' || gallery_words(term) || '"', ' ' order by position)
    )::text as form
    from unnest(${operators}::text[], ${terms}::text[]) with ordinality as written (operator, term, position)
  ) as parsed`;

/**
 * Listed items whose content has changed, or that were shown again, in a span of time (ms since the epoch, without its
 * beginning), oldest change first; more than `limit` only of the last moment.
 */
export async function listedBetween(
  sql: Query,
  since: number,
  until: number,
  limit: number,
): Promise<Array<{ id: string; changedAt: number }>> {
  return await sql<Array<{ id: string; changedAt: number }>>`
    select id, greatest(updated_at, shown_at) as changed_at from items
    where search is not null and not hidden and greatest(updated_at, shown_at) <= ${until} and (
      updated_at > ${since} and updated_at <= ${until} or shown_at > ${since} and shown_at <= ${until}
    )
    order by changed_at fetch first (${limit}) rows with ties`;
}

/** Where in the walk through all listed items a part begins: behind the item created then, of that id. */
export interface WalkCursor {
  createdAt: number;
  id: string;
}

/** Listed items behind a cursor, oldest first. */
export async function walkListedItems(
  sql: Query,
  { after, offset, limit }: { after: WalkCursor | null; offset: number; limit: number },
  now: number,
): Promise<Array<{ id: string; createdAt: number; updatedAt: number }>> {
  return await sql<Array<{ id: string; createdAt: number; updatedAt: number }>>`
    select item.id, item.created_at, item.updated_at
    from (
      select id, created_at from items
      where search is not null and ${isLive(sql, now)} and ${isShown(sql)}
        ${after === null ? sql`` : sql`and (created_at, id) > (${after.createdAt}, ${after.id})`}
      order by created_at, id offset ${offset} limit ${limit}
    ) as part
    join items as item on item.namespace = 'public' and item.id = part.id
    order by item.created_at, item.id`;
}

interface OwnFilter extends GalleryFilter {
  ownerHash: string;
  /** `null`: no search. */
  search: GallerySearch | null;
}

/** One page of an owner's live items that a filter lets through, of every namespace, and how many those are in all. */
export async function listOwn(
  sql: Query,
  filter: OwnFilter,
  now: number,
): Promise<{ items: GalleryItem[]; total: number }> {
  const { sort, offset, limit } = filter;
  const [items, [counted]] = await Promise.all([
    sql<GalleryItem[]>`
      select ${galleryColumns(sql)} ${matching(sql, filter, now)}
      order by ${filter.search === null ? sql`` : sql`${rank(sql)} desc,`} ${sort === 'views' ? sql`item.views desc,` : sql``}
        item.created_at desc, item.namespace desc, item.id desc
      offset ${offset} limit ${limit}`,
    sql<Array<{ total: number }>>`select count(*) as total ${matching(sql, filter, now)}`,
  ]);
  return { items, total: counted?.total ?? 0 };
}

/** The words of an item, listed or not; only listed ones have them stored. */
const words = (sql: Query) => sql`gallery_document(item.title, item.tags)`;

const rank = (sql: Query) => sql`ts_rank(${words(sql)}, query.words) + ts_rank(${words(sql)}, query.exact)`;

const matching = (sql: Query, { ownerHash, search, kind, tag }: OwnFilter, now: number) => sql`
  from items as item ${search === null ? sql`` : sql`cross join (${searchQuery(sql, search)}) as query`}
  where item.owner_hash = ${ownerHash} and item.expires_at > ${now} and not item.hidden
  ${kind === null ? sql`` : sql`and item.kind = ${kind}`}
  ${tag === null ? sql`` : sql`and item.tags @> array[${tag}]::text[]`}
  ${search === null ? sql`` : sql`and ${words(sql)} @@ query.words`}`;
