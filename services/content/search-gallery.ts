import type { GalleryItem } from '../../shared/contracts/gallery.ts';
import type { Query } from '../../shared/items/sql.ts';
import type { GallerySearch } from './gallery-search.ts';
import { type GalleryFilter, galleryColumns, isListed, ofTag, orderOf, searchQuery } from './gallery-sql.ts';

interface Found {
  items: GalleryItem[];
  total: number;
  /** Whether `total` counts the ranked ones only, of more. */
  totalIsLowerBound: boolean;
}

interface Bounds {
  /** A search that finds no more is ranked and counted whole. */
  whole: number;
  /** Of a search that finds more so many are ranked: the first by `sort`. */
  first: number;
}

const BOUNDS: Bounds = { whole: 20_000, first: 500 };

/**
 * Searches the listed items, best matches first: a whole word ranks above a word that only begins alike. Ranking looks at the
 * row of each match, so of frequent words only the first items by `sort` are ranked: where PostgreSQL estimates more matches than
 * can be ranked soon, and where twice as many were found.
 */
export async function searchListed(
  sql: Query,
  { search, ...filter }: GalleryFilter & { search: GallerySearch },
  now: number,
  bounds = BOUNDS,
): Promise<Found> {
  const { words, exact, listed } = await parse(sql, search);
  const among = (matches: Matches) => rank(sql, { words, exact, matches }, filter);
  const frequent = Math.max(bounds.whole, Math.sqrt(bounds.first * listed));
  const expected = { words: await estimate(sql, words, filter), exact: 0 };
  if (expected.words > frequent) {
    expected.exact = words === exact ? expected.words : await estimate(sql, exact, filter);
  } else {
    const most = Math.ceil(2 * frequent);
    const found = await among(sql`${allMatches(sql, words, filter, now)} limit ${most}`);
    if (found.total < most) return found;
    Object.assign(expected, { words: most, exact: most });
  }

  // In the order of `sort` the first of frequent words are soon found, while a look at every match would take long.
  const first = (query: string, matches: number) => {
    const lookedAt = Math.ceil((2 * bounds.first * listed) / matches);
    return firstMatches(sql, { query, lookedAt, limit: bounds.first }, filter, now);
  };
  const found = await among(
    expected.exact > frequent
      ? first(exact, expected.exact)
      : sql`${allMatches(sql, exact, filter, now)} union (${first(words, expected.words)})`,
  );
  if (found.total >= bounds.first) return { ...found, totalIsLowerBound: true };
  // The words are frequent among the last by `sort`, or PostgreSQL took them for more frequent than they are.
  return await among(allMatches(sql, words, filter, now));
}

interface ParsedSearch {
  /** Each match must have these words: a tsquery. */
  words: string;
  /** `words` without a prefix. */
  exact: string;
  /** How many items are listed, as PostgreSQL last counted. */
  listed: number;
}

async function parse(sql: Query, search: GallerySearch): Promise<ParsedSearch> {
  const [parsed = { words: '', exact: '', listed: 0 }] = await sql<ParsedSearch[]>`
    select words::text, exact::text, (
      select greatest(reltuples, 0) from pg_class where oid = 'items_listed_date'::regclass
    ) as listed from (${searchQuery(sql, search)}) as query`;
  return parsed;
}

/**
 * How many items of all kinds match, as the planner estimates from its statistics of frequent words. No index knows words and
 * kinds, so they are what a search has to look at.
 */
async function estimate(sql: Query, query: string, { tag }: GalleryFilter): Promise<number> {
  const [explained] = await sql<Array<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>>`
    explain (format json) select from items
    where search is not null and search @@ ${query}::text::tsquery ${ofTag(sql, tag)}`;
  return explained?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

/** All that match a query. */
const allMatches = (sql: Query, query: string, filter: GalleryFilter, now: number) => sql`
  select id, created_at, views, search from items
  where ${isListed(sql, filter, now)} and search @@ (select ${query}::text::tsquery)`;

/** The first by `sort` that match a query, of so many that are looked at. */
const firstMatches = (
  sql: Query,
  { query, lookedAt, limit }: { query: string; lookedAt: number; limit: number },
  { kind, tag, sort }: GalleryFilter,
  now: number,
) => sql`
  select id, created_at, views, search from (
    select id, created_at, views, search, tags from items as page
    where ${isListed(sql, { kind, tag: null }, now)} ${orderOf(sql, sort)} limit ${lookedAt}
  ) as page
  where search @@ ${query}::text::tsquery ${ofTag(sql, tag)} ${orderOf(sql, sort)} limit ${limit}`;

/** A select of matches: `id`, `created_at`, `views`, `search`. */
type Matches = ReturnType<typeof allMatches>;

/** One page of some matches, best first, and how many they are. */
async function rank(
  sql: Query,
  { words, exact, matches }: { words: string; exact: string; matches: Matches },
  { sort, offset, limit }: GalleryFilter,
): Promise<Found> {
  const rows = await sql<Array<GalleryItem & { total: number; found: boolean }>>`
    with query as materialized (select ${words}::text::tsquery as words, ${exact}::text::tsquery as exact),
    found as materialized (
      select id, created_at, views, ts_rank(search, query.words) + ts_rank(search, query.exact) as rank
      from (${matches}) as matching cross join query
    )
    select counted.total, item.id is not null as found, ${galleryColumns(sql)}
    from (select count(*) as total from found) as counted
    left join (
      select * from found as page ${orderOf(sql, sort, true)} offset ${offset} limit ${limit}
    ) as page on true
    left join items as item on item.namespace = 'public' and item.id = page.id
    ${orderOf(sql, sort, true)}`;
  const items = rows.filter(({ found }) => found).map(({ total: _, found: __, ...item }) => item);
  return { items, total: rows[0]?.total ?? 0, totalIsLowerBound: false };
}
