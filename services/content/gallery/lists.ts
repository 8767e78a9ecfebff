import type { GalleryItem } from '../../../shared/contracts/gallery.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { GallerySearch } from './search-text.ts';
import {
  type GalleryFilter,
  galleryColumns,
  isListed,
  isLive,
  isShown,
  orderOf,
  searchQuery,
} from './sql.ts';

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
