import type { CallContext } from '../../shared/call-context.ts';
import type { GalleryItem } from '../../shared/contracts/gallery.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { errors } from '../../shared/errors.ts';
import type { Query } from '../../shared/items/sql.ts';
import type { GallerySearch } from './gallery-search.ts';
import {
  type GalleryFilter,
  galleryColumns,
  isFitting,
  isListed,
  ofTag,
  orderOf,
  searchQuery,
} from './gallery-sql.ts';

interface Found {
  items: GalleryItem[];
  total: number;
  /** Whether more items may match than the `total` that were ranked. */
  totalIsLowerBound: boolean;
}

interface Bounds {
  /** A search that is expected to find no more is ranked and counted whole. */
  whole: number;
  /** Of a search that finds more so many are ranked: the first by `sort`. */
  first: number;
}

const BOUNDS: Bounds = { whole: 20_000, first: 500 };

interface Moment extends Pick<CallContext, 'deadline'> {
  /** Items that have expired by then are not found. */
  now: number;
}

/**
 * Searches the listed items, best matches first: a whole word ranks above a word that only begins alike. Ranking looks at the
 * row of each match, so of frequent words only the first items by `sort` are ranked: those that PostgreSQL expects in more items
 * than can be looked at soon, or that are found in more.
 * @throws TIMEOUT
 */
export async function searchListed(
  sql: Query,
  { search, ...filter }: GalleryFilter & { search: GallerySearch },
  { now, deadline }: Moment,
  bounds = BOUNDS,
): Promise<Found> {
  const { words, exact } = await parse(sql, search);
  const matching = (query: string) => sql`and search @@ ${query}::text::tsquery ${ofTag(sql, filter.tag)}`;
  const [listed, ofWords] = await Promise.all([estimate(sql, sql``), estimate(sql, matching(words))]);
  const maxMatches = Math.floor(Math.max(bounds.whole, Math.sqrt(bounds.first * listed)));
  const ranked = (rows: Part, fits: Part = sql`true`) => {
    if (deadline <= steadyNow()) throw errors.timeout('searches');
    return rank(sql, { words, exact, rows, fits }, filter);
  };
  const any = async (): Promise<Found> => {
    const rows = anyMatches(sql, words, maxMatches + 1, filter);
    const { looked, ...found } = await ranked(rows, isFitting(sql, filter, now));
    return { ...found, totalIsLowerBound: looked > maxMatches };
  };
  const anyFound = ofWords > maxMatches ? null : await any();
  if (anyFound?.totalIsLowerBound === false) return anyFound;

  // In the order of `sort` the first of frequent words are soon found, while a look at every match would take long.
  const lookedAt = Math.ceil((2 * bounds.first * listed) / Math.max(ofWords, maxMatches));
  const first = (query: string) => firstMatches(sql, query, { lookedAt, limit: bounds.first }, filter, now);
  const ofExact = exact === words ? ofWords : await estimate(sql, matching(exact));
  if (ofExact > maxMatches && exact !== words) {
    const { looked: _, ...found } = await ranked(first(exact));
    if (found.total >= bounds.first) return { ...found, totalIsLowerBound: true };
  }
  const wholeWords = sql`
    select id, created_at, views, search
    from (${anyMatches(sql, exact, anyFound === null ? maxMatches : bounds.first, filter)}) as page
    where ${isFitting(sql, filter, now)}`;
  const { looked: _, ...found } = await ranked(
    ofExact > maxMatches ? first(words) : sql`(${wholeWords}) union (${first(words)})`,
  );
  if (found.total >= bounds.first) return { ...found, totalIsLowerBound: true };
  if (await hasFewerListed(sql, lookedAt, filter, now)) return { ...found, totalIsLowerBound: false };
  // The words are frequent among the last by `sort`, or PostgreSQL took them for more frequent than they are.
  return anyFound ?? (await any());
}

/** A search as the text of two tsqueries. */
interface ParsedSearch {
  /** Each match must have these. */
  words: string;
  /** `words` without a prefix. */
  exact: string;
}

async function parse(sql: Query, search: GallerySearch): Promise<ParsedSearch> {
  const [parsed = { words: '', exact: '' }] = await sql<ParsedSearch[]>`
    select words::text, exact::text from (${searchQuery(sql, search)}) as query`;
  return parsed;
}

/** A part of a statement. */
type Part = ReturnType<typeof ofTag>;

/** How many listed items PostgreSQL expects to fit, by its statistics of frequent words: without a look at one of them. */
async function estimate(sql: Query, condition: Part): Promise<number> {
  const [explained] = await sql<Array<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>>`
    explain (format json) select from items where search is not null ${condition}`;
  return explained?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

/** Any items that match a query, so many at most. The index of words knows tags, too; kinds and expiries are looked at afterwards. */
const anyMatches = (sql: Query, query: string, limit: number, { tag }: GalleryFilter) => sql`
  select id, created_at, views, search, kind, expires_at from items
  where search is not null and search @@ (select ${query}::text::tsquery) ${ofTag(sql, tag)} limit ${limit}`;

/** The first by `sort` that match a query, of so many that are looked at. */
const firstMatches = (
  sql: Query,
  query: string,
  { lookedAt, limit }: { lookedAt: number; limit: number },
  { kind, tag, sort }: GalleryFilter,
  now: number,
) => sql`
  select id, created_at, views, search from (
    select id, created_at, views, search, tags from items as page
    where ${isListed(sql, { kind, tag: null }, now)} ${orderOf(sql, sort)} limit ${lookedAt}
  ) as page
  where search @@ (select ${query}::text::tsquery) ${ofTag(sql, tag)} ${orderOf(sql, sort)} limit ${limit}`;

/** Whether fewer items of the kind are listed, so that a look at so many has seen them all. */
async function hasFewerListed(
  sql: Query,
  count: number,
  { kind }: GalleryFilter,
  now: number,
): Promise<boolean> {
  const [seen] = await sql<Array<{ count: number }>>`
    select count(*) from (
      select from items where ${isListed(sql, { kind, tag: null }, now)} limit ${count}
    ) as listed`;
  return seen !== undefined && seen.count < count;
}

/** One page of the rows that fit, best first, how many these are, and how many rows there are. */
async function rank(
  sql: Query,
  { words, exact, rows, fits }: ParsedSearch & { rows: Part; fits: Part },
  { sort, offset, limit }: GalleryFilter,
): Promise<{ items: GalleryItem[]; total: number; looked: number }> {
  const page = await sql<Array<GalleryItem & { looked: number; total: number; found: boolean }>>`
    with query as materialized (select ${words}::text::tsquery as words, ${exact}::text::tsquery as exact),
    looked as materialized (
      select id, created_at, views, ts_rank(search, query.words) + ts_rank(search, query.exact) as rank, ${fits} as fits
      from (${rows}) as page cross join query
    )
    select counted.looked, counted.total, item.id is not null as found, ${galleryColumns(sql)}
    from (select count(*) as looked, count(*) filter (where fits) as total from looked) as counted
    left join (
      select * from looked as page where fits ${orderOf(sql, sort, true)} offset ${offset} limit ${limit}
    ) as page on true
    left join items as item on item.namespace = 'public' and item.id = page.id
    ${orderOf(sql, sort, true)}`;
  const items = page
    .filter(({ found }) => found)
    .map(({ looked: _, total: __, found: ___, ...item }) => item);
  return { items, total: page[0]?.total ?? 0, looked: page[0]?.looked ?? 0 };
}
