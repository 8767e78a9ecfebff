import { expect, test } from 'bun:test';
import { parseSearch } from '../../services/content/gallery-search.ts';
import type { GalleryFilter } from '../../services/content/gallery-sql.ts';
import { searchListed } from '../../services/content/search-gallery.ts';
import { type Row, useGalleryDatabase } from './gallery-database.ts';

const gallery = useGalleryDatabase();
const BOUNDS = { whole: 40, first: 5 };
/** Items that fill the gallery up: PostgreSQL estimates beginnings of words where it knows a hundred of them. */
const OTHERS = numbered(100, (n) => ({
  id: `other-${n}`,
  title: `Filler ${n}`,
  createdAt: gallery.now - 10_000,
}));

function numbered(count: number, row: (n: number) => Row): Row[] {
  return Array.from({ length: count }, (_, n) => row(n));
}

/** Puts items in, and lets PostgreSQL count their words. */
async function put(...rows: Row[]): Promise<AsyncDisposable> {
  const disposable = await gallery.put(...rows);
  await gallery.sql`vacuum analyze items`;
  return disposable;
}

async function find(text: string, filter: Partial<GalleryFilter> = {}) {
  const search = parseSearch(text);
  if (search === null) throw new Error(`${text} has no word`);
  const asked = { kind: null, tag: null, sort: 'date', offset: 0, limit: 100, ...filter } as const;
  const { items, ...found } = await searchListed(gallery.sql, { ...asked, search }, gallery.now, BOUNDS);
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

test('a word that is frequent among the oldest only is counted whole', async () => {
  const { now } = gallery;
  const old = numbered(50, (n) => ({ id: `old-${n}`, title: 'Bygone', createdAt: now - 20_000 - n }));
  await using _ = await put(...OTHERS, ...old);
  const { ids, ...found } = await find('bygone');
  expect(found).toEqual({ total: 50, totalIsLowerBound: false });
  expect(ids[0]).toBe('old-0');
});

test('words that are more frequent together than PostgreSQL estimates are ranked whole up to twice the bound', async () => {
  const { now } = gallery;
  // Both stand in half of all items, always together: by the estimate in a quarter.
  const pair = (n: number): Row => ({ id: `pair-${n}`, title: 'New York', createdAt: now - n });
  const most = 2 * BOUNDS.whole;
  await using _ = await put(...OTHERS, ...numbered(most - 1, pair));
  expect(await find('"new" york', { limit: 1 })).toEqual({
    ids: ['pair-0'],
    total: most - 1,
    totalIsLowerBound: false,
  });
  await using __ = await put(pair(most - 1));
  expect(await find('"new" york')).toEqual({
    ids: ['pair-0', 'pair-1', 'pair-2', 'pair-3', 'pair-4'],
    total: BOUNDS.first,
    totalIsLowerBound: true,
  });
});
