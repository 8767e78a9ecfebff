import { expect, test } from 'bun:test';
import { searchListed } from '../../services/content/gallery/search.ts';
import { parseSearch } from '../../services/content/gallery/search-text.ts';
import type { GalleryFilter } from '../../services/content/gallery/sql.ts';
import { steadyNow } from '../../shared/deadline.ts';
import type { Query } from '../../shared/items/sql.ts';
import { type Row, useGalleryDatabase } from './gallery-database.ts';

const gallery = useGalleryDatabase();
const BOUNDS = { whole: 40, first: 5 };
/** Items that fill the gallery up, with a word of their own. */
const OTHERS = numbered(100, (n) => ({
  id: `other-${n}`,
  title: `Filler ${n}`,
  createdAt: gallery.now - 10_000,
}));

function numbered(count: number, row: (n: number) => Row): Row[] {
  return Array.from({ length: count }, (_, n) => row(n));
}

/** Puts items in, and lets PostgreSQL count their rows. */
async function put(...rows: Row[]): Promise<AsyncDisposable> {
  const disposable = await gallery.put(...rows);
  await gallery.sql`vacuum analyze items`;
  return disposable;
}

async function find(
  text: string,
  filter: Partial<GalleryFilter> = {},
  { sql = gallery.sql, deadline = Number.POSITIVE_INFINITY }: { sql?: Query; deadline?: number } = {},
) {
  const search = parseSearch(text);
  if (search === null) throw new Error(`${text} has no word`);
  const asked = { kind: null, tag: null, sort: 'date', offset: 0, limit: 100, ...filter } as const;
  const moment = { now: gallery.now, deadline };
  const { items, ...found } = await searchListed(sql, { ...asked, search }, moment, BOUNDS);
  return { ids: items.map(({ id }) => id), ...found };
}

test('a word in as many items as are ranked whole is counted whole; in one more, the first by sort are ranked', async () => {
  const { now } = gallery;
  const word = (n: number): Row => ({ id: `n${n}`, title: 'Frequent', createdAt: now - n, views: n });
  await using _ = await put(...OTHERS, ...numbered(BOUNDS.whole, word));
  expect(await find('frequent', { limit: 1 })).toEqual({
    ids: ['n0'],
    total: BOUNDS.whole,
    totalIsLowerBound: false,
  });
  await using __ = await put(word(BOUNDS.whole));
  expect(await find('frequent')).toEqual({
    ids: ['n0', 'n1', 'n2', 'n3', 'n4'],
    total: BOUNDS.first,
    totalIsLowerBound: true,
  });
  expect((await find('frequent', { sort: 'views' })).ids).toEqual(['n40', 'n39', 'n38', 'n37', 'n36']);
  expect((await find('frequent', { offset: 3, limit: 1 })).ids).toEqual(['n3']);
  expect(await find('frequent', { offset: 5 })).toEqual({ ids: [], total: 5, totalIsLowerBound: true });
});

test('a kind or a tag is looked for among all that match, and best matches come first', async () => {
  const { now } = gallery;
  const rows = numbered(120, (n): Row => {
    const title = n === 21 ? 'Frequent, frequent' : 'Frequent';
    const [kind, tags] = [n % 10 === 1 ? 'file' : 'html', n % 4 === 0 ? [] : ['some']] as const;
    return { id: `n${n}`, title, kind, tags: [...tags], createdAt: now - n };
  });
  await using _ = await put(...OTHERS, ...rows);
  expect((await find('frequent', { kind: 'file' })).ids).toEqual(['n21', 'n1', 'n11', 'n31', 'n41']);
  expect(await find('frequent', { tag: 'some' })).toEqual({
    ids: ['n1', 'n2', 'n3', 'n5', 'n6'],
    total: 5,
    totalIsLowerBound: true,
  });
});

test('of a beginning that many words have, items with it as a whole word are found however old they are', async () => {
  const { now } = gallery;
  const artists = numbered(100, (n) => ({ id: `artist-${n}`, title: 'Artist', createdAt: now - n }));
  const art = numbered(3, (n) => ({ id: `art-${n}`, title: 'Art', createdAt: now - 1_000 - n }));
  await using _ = await put(...OTHERS, ...artists, ...art);
  expect(await find('art')).toEqual({
    ids: ['art-0', 'art-1', 'art-2', 'artist-0', 'artist-1', 'artist-2', 'artist-3', 'artist-4'],
    total: 8,
    totalIsLowerBound: true,
  });
  // Now the whole word is frequent, too.
  await using __ = await put(
    ...numbered(60, (n) => ({ id: `late-${n}`, title: 'Art', createdAt: now + 1_000 - n })),
  );
  expect((await find('art')).ids).toEqual(['late-0', 'late-1', 'late-2', 'late-3', 'late-4']);
});

test('a word that is frequent among the oldest only is ranked up to the bound', async () => {
  const { now } = gallery;
  const old = (n: number): Row => ({ id: `old-${n}`, title: 'Bygone', createdAt: now - 20_000 - n });
  await using _ = await put(...OTHERS, ...numbered(50, old));
  const { ids, ...found } = await find('bygone');
  expect(found).toEqual({ total: BOUNDS.whole + 1, totalIsLowerBound: true });
  expect(ids.every((id) => id.startsWith('old-'))).toBe(true);
});

test('all of a kind that has few items are looked at, and not the matches of other kinds', async () => {
  const { now } = gallery;
  const title = (n: number): Row => ({ id: `n${n}`, title: 'Frequent', createdAt: now - n });
  const stores = numbered(3, (n): Row => ({ ...title(n), id: `store-${n}`, kind: 'kv' }));
  await using _ = await put(...OTHERS, ...numbered(100, title), ...stores);
  await gallery.sql.begin(async (sql) => {
    const scans = async () =>
      await sql`
      select pg_stat_get_xact_numscans('items_listed_words'::regclass)::int as words`;
    const before = await scans();
    expect(await find('frequent', { kind: 'kv' }, { sql })).toEqual({
      ids: ['store-0', 'store-1', 'store-2'],
      total: 3,
      totalIsLowerBound: false,
    });
    expect(await scans()).toEqual(before);
  });
});

test('a beginning of many rare words is bounded', async () => {
  const { now } = gallery;
  await using _ = await put(...OTHERS);
  const rare = numbered(BOUNDS.whole + 1, (n) => ({ id: `r${n}`, title: `zq${n}`, createdAt: now - n }));
  await using __ = await gallery.put(...rare);
  expect(await find('zq')).toEqual({
    ids: ['r0', 'r1', 'r2', 'r3', 'r4'],
    total: BOUNDS.first,
    totalIsLowerBound: true,
  });
});

test('nobody waits any more at its deadline: then nothing is ranked', async () => {
  await expect(find('filler', {}, { deadline: steadyNow() - 1 })).rejects.toMatchObject({ code: 'TIMEOUT' });
});

test('words that are more frequent together than each of them lets expect are bounded', async () => {
  const { now } = gallery;
  // Both stand in a third of all items, always together: independent of each other they would in a ninth.
  const pair = (n: number): Row => ({ id: `pair-${n}`, title: 'New York', createdAt: now - n });
  await using _ = await put(...OTHERS, ...numbered(BOUNDS.whole, pair));
  expect(await find('"new" york', { limit: 1 })).toEqual({
    ids: ['pair-0'],
    total: BOUNDS.whole,
    totalIsLowerBound: false,
  });
  await using __ = await put(pair(BOUNDS.whole));
  const { ids, total, totalIsLowerBound } = await find('"new" york');
  expect(ids.slice(0, BOUNDS.first)).toEqual(['pair-0', 'pair-1', 'pair-2', 'pair-3', 'pair-4']);
  expect([total <= 2 * BOUNDS.first, totalIsLowerBound]).toEqual([true, true]);
});

test('a phrase of two frequent words is found in all that have both, up to a bound', async () => {
  const { now } = gallery;
  const apart = (n: number): Row => ({ id: `apart-${n}`, title: `New ${n} York`, createdAt: now - n });
  const phrase = numbered(2, (n) => ({ id: `phrase-${n}`, title: 'New York', createdAt: now - 5_000 - n }));
  await using _ = await put(...OTHERS, ...numbered(5 * BOUNDS.whole - phrase.length, apart));
  await using __ = await put(...phrase);
  expect(await find('"new york"')).toEqual({
    ids: ['phrase-0', 'phrase-1'],
    total: 2,
    totalIsLowerBound: false,
  });
  await using ___ = await put(apart(5 * BOUNDS.whole));
  expect((await find('"new york"')).totalIsLowerBound).toBe(true);
});

test('a rare word beside the beginning of a frequent one is found among all that have the rare word', async () => {
  const { now } = gallery;
  const rare = numbered(3, (n) => ({ id: `rare-${n}`, title: 'Zebra filler', createdAt: now - n }));
  const other = { id: 'other', title: 'Zebra', createdAt: now };
  await using _ = await put(...OTHERS, ...rare, other);
  const found = { ids: ['rare-0', 'rare-1', 'rare-2'], total: 3, totalIsLowerBound: false };
  expect(await find('zebra fi')).toEqual(found);
  expect(await find('filler ze')).toEqual(found);
});
