import { expect, test } from 'bun:test';
import { planSearch } from '../../services/content/gallery/search-plan.ts';
import { partsOf } from '../../services/content/gallery/search-queries.ts';

const BOUNDS = { whole: 10_000, first: 200 };

/** The plan of a search in a million listed items, of which so many have what it looks for. */
function plan(words: string, counted: { words: number; head?: number; loose?: number; beginning?: number }) {
  const queries = { words, exact: words.replace(/:\*$/, ''), ...partsOf(words) };
  const counts = { head: 0, loose: counted.words, beginning: 0, ...counted, exact: 0, listed: 1_000_000 };
  return planSearch(queries, counts, BOUNDS);
}

test('the parts of a query are words that must all be there; other operators leave it whole', () => {
  expect(partsOf("'one'")).toEqual({ loose: "'one'", head: null, beginning: null });
  expect(partsOf("'on':*")).toEqual({ loose: "'on':*", head: null, beginning: "'on':*" });
  expect(partsOf("'one' <-> 'two' & 'thr':*")).toEqual({
    loose: "'one' & 'two' & 'thr':*",
    head: "'one' & 'two'",
    beginning: "'thr':*",
  });
  for (const words of ["'one' | 'tw':*", "!'one' & 'tw':*", "!( 'one' <-> 'two' ) & 'three'"])
    expect(partsOf(words)).toEqual({ loose: words, head: null, beginning: null });
});

test('the index is asked for what is rare, and what is frequent is looked for in order', () => {
  // Both ways read as many rows where 200 of 14,142 are found among 14,142.
  expect(plan("'word'", { words: 14_142 })).toMatchObject({ isByIndex: true, maxCandidates: 14_142 });
  expect(plan("'word'", { words: 14_143 }).isByIndex).toBe(false);
  expect(plan("'word'", { words: 20_000 }).maxInOrder(20_000)).toBe(20_000);
});

test('a beginning of many words is read from the index only where that takes less than to find the first in order', () => {
  expect(plan("'be':*", { words: 13_000, beginning: 13_000 }).isByIndex).toBe(true);
  expect(plan("'word' & 'be':*", { words: 13_000, head: 50_000, beginning: 300_000 }).isByIndex).toBe(false);
  const narrow = plan("'word' & 'be':*", { words: 100, head: 500, beginning: 300_000 });
  expect(narrow).toMatchObject({ isByIndex: true, candidates: "'word'" });
  const wide = plan("'word' & 'be':*", { words: 100, head: 50_000, beginning: 300_000 });
  expect(wide).toMatchObject({ isByIndex: true, candidates: "'word' & 'be':*" });
});

test('a rare phrase of frequent words is looked for among more rows, and not in order', () => {
  const rare = plan("'one' <-> 'two'", { words: 0, loose: 50_000 });
  expect(rare).toMatchObject({ isByIndex: true, candidates: "'one' & 'two'", maxCandidates: 70_710 });
  expect(rare.maxInOrder(7_070)).toBeNull();
  expect(rare.maxInOrder(7_071)).toBe(28_285);
});
