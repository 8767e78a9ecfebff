import type { GalleryItem } from '../../shared/contracts/gallery.ts';
import type { Query } from '../../shared/items/sql.ts';
import { type GalleryFilter, galleryColumns, searchQuery } from './gallery.ts';
import type { GallerySearch } from './gallery-search.ts';

export interface OwnFilter extends GalleryFilter {
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
