import type { Query } from '../../../shared/items/sql.ts';
import type { GallerySearch } from './search-text.ts';
import { searchQuery } from './sql.ts';

/** A search as the texts of tsqueries. */
export interface SearchQueries {
  /** Matches have these. */
  words: string;
  /** `words` with its last word as a whole one. */
  exact: string;
  /** `words` without the order of a phrase, which the index does not know: it finds all that have the words, and each row is read. */
  loose: string;
  /** `loose` without its last word, where that may be the beginning of others. `null`: there is no such query. */
  head: string | null;
  /** The last word alone, as a beginning. `null`: it is a whole one. */
  beginning: string | null;
}

/** Parses a search as PostgreSQL does. */
export async function parseQueries(sql: Query, search: GallerySearch): Promise<SearchQueries> {
  const [parsed = { words: '', exact: '' }] = await sql<Array<{ words: string; exact: string }>>`
    select words::text, exact::text from (${searchQuery(sql, search)}) as query`;
  return { ...parsed, ...partsOf(parsed.words) };
}

/** Between words that must all be there, side by side or not. */
const AND = / (?:&|<->|<\d+>) /;
/** In a query that is more than such words. */
const OTHER_OPERATORS = /[|!(]/;

/** The words of a query are letters and digits (`gallery_words`), so none of them looks like an operator. */
export function partsOf(words: string): Pick<SearchQueries, 'loose' | 'head' | 'beginning'> {
  const terms = words.split(AND);
  const last = terms.at(-1) ?? '';
  const beginning = last.endsWith(':*') ? last : null;
  if (OTHER_OPERATORS.test(words)) return { loose: words, head: null, beginning: null };
  return {
    loose: terms.join(' & '),
    head: beginning === null || terms.length === 1 ? null : terms.slice(0, -1).join(' & '),
    beginning,
  };
}
