import type { GallerySort, listGallery } from '../../../shared/contracts/gallery.ts';
import type { InputOf } from '../../../shared/contracts/operation.ts';
import type { Query } from '../../../shared/items/sql.ts';
import type { GallerySearch } from './search-text.ts';

// An item with `search` is a listed one. That it is not null stands in the text of each query, as in the indexes.

export type GalleryFilter = Omit<InputOf<typeof listGallery>, 'search'>;

/** Whether the operator has not hidden it. By id, as that stands in the indexes: hidden items are few. */
export const isShown = (sql: Query) => sql`
  id not in (select hidden.id from items as hidden where hidden.hidden and hidden.namespace = 'public')`;

/**
 * A generic plan takes a comparison with a parameter to hold for a third of all rows, and would read nearly all of the index on
 * `expires_at` beside that of words. `is true` can use no index.
 */
export const isLive = (sql: Query, now: number) => sql`(expires_at > ${now}) is true`;

/** The conditions on a listed item that the index of words and tags knows nothing of. */
export const isFitting = (sql: Query, { kind }: Pick<GalleryFilter, 'kind'>, now: number) => sql`
  ${isLive(sql, now)} and ${isShown(sql)} ${ofKind(sql, kind)}`;

export const isListed = (sql: Query, { kind, tag }: Pick<GalleryFilter, 'kind' | 'tag'>, now: number) => sql`
  search is not null and ${isFitting(sql, { kind }, now)} ${ofTag(sql, tag)}`;

export const ofKind = (sql: Query, kind: GalleryFilter['kind']) =>
  kind === null ? sql`` : sql`and kind = ${kind}`;

export const ofTag = (sql: Query, tag: GalleryFilter['tag']) =>
  tag === null ? sql`` : sql`and tags @> array[${tag}]::text[]`;

export const orderOf = (sql: Query, sort: GallerySort, ranked = false) => sql`
  order by ${ranked ? sql`page.rank desc,` : sql``} ${sort === 'views' ? sql`page.views desc,` : sql``}
    page.created_at desc, page.id desc`;

export const galleryColumns = (sql: Query) => sql`
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
export const searchQuery = (sql: Query, { operators, terms, prefixed }: GallerySearch) => sql`
  select form::tsquery as exact,
    case when ${prefixed}::boolean and form ~ '''$' then (form || ':*')::tsquery else form::tsquery end as words
  from (
    select websearch_to_tsquery(
      'pg_catalog.simple', string_agg(operator || '"' || gallery_words(term) || '"', ' ' order by position)
    )::text as form
    from unnest(${operators}::text[], ${terms}::text[]) with ordinality as written (operator, term, position)
  ) as parsed`;
