import type { CallContext } from '../../../shared/call-context.ts';
import type { GalleryItem } from '../../../shared/contracts/gallery.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { errors } from '../../../shared/errors.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { sampleListed } from './sample.ts';
import { planSearch, type SearchBounds, type SearchPlan } from './search-plan.ts';
import { parseQueries, type SearchQueries } from './search-queries.ts';
import type { GallerySearch } from './search-text.ts';
import { type GalleryFilter, galleryColumns, isFitting, isListed, ofTag, orderOf } from './sql.ts';

interface Found {
  items: GalleryItem[];
  total: number;
  /** Whether more items may match than the `total` that were ranked. */
  totalIsLowerBound: boolean;
}

const BOUNDS: SearchBounds = { whole: 10_000, first: 200 };

interface Moment extends Pick<CallContext, 'deadline'> {
  /** Items that have expired by then are not found. */
  now: number;
}

/** Context of all statements of a search. */
interface Search extends Moment {
  sql: Query;
  filter: GalleryFilter;
  queries: SearchQueries;
  plan: SearchPlan;
}

/**
 * Searches the listed items, best matches first: a whole word ranks above a word that only begins alike. Ranking looks at the
 * row of each match, so of frequent words only the first items by `sort` are ranked.
 * @throws TIMEOUT
 */
export async function searchListed(
  sql: Query,
  { search: text, ...filter }: GalleryFilter & { search: GallerySearch },
  moment: Moment,
  bounds = BOUNDS,
): Promise<Found> {
  const queries = await parseQueries(sql, text);
  const counts = await sampleListed(sql, queries, filter);
  const plan = planSearch(queries, counts, bounds);
  const search: Search = { sql, filter, queries, plan, ...moment };

  const byIndex = plan.isByIndex ? await searchByIndex(search) : null;
  if (byIndex?.totalIsLowerBound === false) return byIndex;
  const matches = Math.max(counts.words, byIndex?.total ?? 0);
  const maxInOrder = plan.maxInOrder(matches);
  if (maxInOrder !== null) {
    // The index was asked already: two long looks would add up.
    const maxWholeWords = byIndex === null ? plan.maxWholeWords : bounds.first;
    const areWholeWordsFrequent = counts.exact > plan.maxWholeWords;
    const inOrder = await searchInOrder(search, {
      maxInOrder,
      maxWholeWords,
      areWholeWordsFrequent,
      first: bounds.first,
    });
    if (inOrder !== null) return inOrder;
  }
  // The words are frequent among the last by `sort`, or the sample has more of them than there are.
  return byIndex ?? (await searchByIndex(search));
}

/** Ranks any matches that the index finds, all of them where they are not too many. */
async function searchByIndex(search: Search): Promise<Found> {
  const { sql, filter, queries, plan, now } = search;
  const { candidates, maxCandidates } = plan;
  const rows = anyMatches(sql, candidates, maxCandidates + 1, filter);
  const isMatch = candidates === queries.words ? sql`true` : sql`search @@ query.words`;
  const { looked, ...found } = await rank(search, rows, sql`${isMatch} and ${isFitting(sql, filter, now)}`);
  return { ...found, totalIsLowerBound: looked > maxCandidates };
}

interface InOrder {
  /** How many items are looked at. */
  maxInOrder: number;
  /** The most matches that are looked at because the last word is a whole one in them. */
  maxWholeWords: number;
  areWholeWordsFrequent: boolean;
  /** How many matches end the look. */
  first: number;
}

/**
 * Ranks the first matches by `sort`. Where the last word is a beginning, whole words come first: however old they are, unless
 * they are frequent themselves. `null`: too few were found, and not all items were looked at.
 */
async function searchInOrder(
  search: Search,
  { maxInOrder, maxWholeWords, areWholeWordsFrequent, first }: InOrder,
): Promise<Found | null> {
  const { sql, filter, now, queries } = search;
  const firstOf = (query: string) =>
    firstMatches(sql, query, { lookedAt: maxInOrder, limit: first }, filter, now);
  if (areWholeWordsFrequent && queries.exact !== queries.words) {
    const { looked: _, ...found } = await rank(search, firstOf(queries.exact));
    if (found.total >= first) return { ...found, totalIsLowerBound: true };
  }
  const wholeWords = sql`
    select id, created_at, views, search
    from (${anyMatches(sql, queries.exact, maxWholeWords, filter)}) as page
    where ${isFitting(sql, filter, now)}`;
  const { looked: _, ...found } = await rank(
    search,
    areWholeWordsFrequent ? firstOf(queries.words) : sql`(${wholeWords}) union (${firstOf(queries.words)})`,
  );
  if (found.total >= first) return { ...found, totalIsLowerBound: true };
  if (await hasFewerListed(sql, maxInOrder, filter, now)) return { ...found, totalIsLowerBound: false };
  return null;
}

/** A part of a statement. */
type Part = ReturnType<typeof ofTag>;

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

/**
 * One page of the rows that fit, best first, how many these are, and how many rows there are.
 * @throws TIMEOUT when nobody waits for it any more
 */
async function rank(
  { sql, queries: { words, exact }, filter: { sort, offset, limit }, deadline }: Search,
  rows: Part,
  fits = sql`true`,
): Promise<{ items: GalleryItem[]; total: number; looked: number }> {
  if (deadline <= steadyNow()) throw errors.timeout('searches');
  const page = await sql<Array<GalleryItem & { looked: number; total: number; found: boolean }>>`
    with query as materialized (select ${words}::text::tsquery as words, ${exact}::text::tsquery as exact),
    looked as materialized (
      select id, created_at, views, fits,
        case when fits then ts_rank(search, words) + ts_rank(search, exact) end as rank
      from (select page.*, ${fits} as fits, query.words, query.exact from (${rows}) as page cross join query) as page
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
