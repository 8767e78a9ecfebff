import type { SampledCounts } from './sample.ts';
import type { SearchQueries } from './search-queries.ts';

export interface SearchBounds {
  /** A search that is expected to look at no more rows is ranked and counted whole. */
  whole: number;
  /** Of a search that finds more so many are ranked: the first by `sort`. */
  first: number;
}

/** How a search finds its matches: by the index, or among the items in order. Costs are in rows of the table that are read. */
export interface SearchPlan {
  /** The query that the index answers. Each match is among its rows, and all of these are read. */
  candidates: string;
  /** The most of them that are read. */
  maxCandidates: number;
  /** Whether the index is asked first: it finds all matches soon, or there are too few to be found in order. */
  isByIndex: boolean;
  /** The most matches that are looked for among those of whole words, and added to the first in order. */
  maxWholeWords: number;
  /** How many items in order are read at the most to find the first of so many matches. `null`: it would take too many. */
  maxInOrder(matches: number): number | null;
}

/** Entries of the index that are read in the time of one row of the table. */
const ENTRIES_PER_ROW = 10;

/** Rows of a phrase's words that are read in place of one: they are ranked only where the words stand side by side. */
const PHRASE_ROWS = 5;

/**
 * Chooses the way that is expected to read fewer rows. Both have a bound, as a sample may be wrong. Where `matches` of `listed` items are
 * to be found, the first of them are found in order after `first * listed / matches` rows: as many as by the index when there are
 * as many matches as the root of `first * listed`.
 */
export function planSearch(
  { words, exact, loose, head }: SearchQueries,
  counts: SampledCounts,
  { whole, first }: SearchBounds,
): SearchPlan {
  const inOrder = (matches: number): number => (first * counts.listed) / Math.max(1, matches);
  const meeting = Math.floor(Math.max(whole, Math.sqrt(first * counts.listed)));
  // The index reads all entries of a beginning, also beside a rare word. The rows of that word alone may be fewer.
  const entries = counts.beginning / ENTRIES_PER_ROW;
  const isNarrow = head !== null && counts.head < counts.loose + entries;
  const candidates = isNarrow
    ? { query: head, count: counts.head, rows: counts.head }
    : { query: loose, count: counts.loose, rows: counts.loose + entries };

  const maxWholeWords = exact === words ? 0 : meeting;
  const rowsInOrder = inOrder(counts.words) + Math.min(counts.exact, maxWholeWords);
  const isSoonByIndex = candidates.count <= meeting && candidates.rows <= Math.max(whole, rowsInOrder);
  const maxInOrder = (matches: number): number | null => {
    const most = 2 * inOrder(Math.max(matches, meeting));
    return inOrder(matches) > most ? null : Math.ceil(most);
  };
  return {
    candidates: candidates.query,
    maxCandidates: candidates.query === words ? meeting : PHRASE_ROWS * meeting,
    isByIndex: isSoonByIndex || maxInOrder(counts.words) === null,
    maxWholeWords,
    maxInOrder,
  };
}
