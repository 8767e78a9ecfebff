import type { Query } from '../../../shared/items/sql.ts';
import type { SearchQueries } from './search-queries.ts';
import { type GalleryFilter, ofTag } from './sql.ts';

/** How many listed items have what a search looks for, of all kinds. A sample says so: none may still be some hundreds. */
export interface SampledCounts {
  /** All listed items. */
  listed: number;
  /** Items that match each query and have the tag. */
  words: number;
  exact: number;
  loose: number;
  head: number;
  /** Items with a word that begins as the last one, with any tags. */
  beginning: number;
}

/** Pages of the table that are read: with some 600 rows, in 2 ms. */
const PAGES = 64;

/**
 * Counts on pages drawn at random: the estimates of PostgreSQL take words to be independent of each other, and know little of
 * beginnings. Always on the same pages while the table has its size, so that the next page of a search is found in the way of the
 * last one. A table of fewer pages is counted whole.
 */
export async function sampleListed(
  sql: Query,
  { words, exact, loose, head, beginning }: SearchQueries,
  { tag }: Pick<GalleryFilter, 'tag'>,
): Promise<SampledCounts> {
  const counted = (query: string | null) =>
    query === null
      ? sql`0`
      : sql`count(*) filter (where search @@ ${query}::text::tsquery ${ofTag(sql, tag)})`;
  const [sampled] = await sql<[SampledCounts & { share: number }]>`
    with drawn as materialized (
      select least(1, ${PAGES}::float8 * current_setting('block_size')::int / greatest(1, pg_relation_size('items'))) as share
    )
    select count(*) as listed, ${counted(words)} as words, ${counted(exact)} as exact, ${counted(loose)} as loose,
      ${counted(head)} as head, count(*) filter (where search @@ ${beginning}::text::tsquery) as beginning,
      (select share from drawn) as share
    from items tablesample system ((select 100 * share from drawn)::real) repeatable (0)
    where search is not null`;
  const { share, ...counts } = sampled;
  const whole = (count: number): number => Math.round(count / share);
  return {
    listed: whole(counts.listed),
    words: whole(counts.words),
    exact: whole(counts.exact),
    loose: whole(counts.loose),
    head: whole(counts.head),
    beginning: whole(counts.beginning),
  };
}
