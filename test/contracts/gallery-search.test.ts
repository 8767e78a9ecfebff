import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createGalleryLists } from '../../services/content/operations/list-gallery.ts';
import { anyCharacter } from '../any-character.ts';
import { type Row, useGalleryDatabase } from './gallery-database.ts';

const gallery = useGalleryDatabase();
// Letters and their cases are the same whatever the locale of the database is.
const plain = useGalleryDatabase("template template0 encoding 'UTF8' locale 'C'");

type Filter = Partial<Parameters<ReturnType<typeof createGalleryLists>['listGallery']>[0]>;

const find = (search: string, filter: Filter = {}, { sql, loadShedding, now } = gallery) =>
  createGalleryLists({ sql, loadShedding, clock: { now: () => now } }).listGallery(
    {
      search,
      kind: null,
      tag: null,
      sort: 'date',
      offset: 0,
      limit: 100,
      ...filter,
    },
    { requestId: 'test', deadline: Date.now() + 60_000 },
  );

/** The ids that a search finds, in order. */
const found = async (search: string, filter: Filter = {}, database = gallery): Promise<string[]> => {
  const { items, total } = await find(search, filter, database);
  expect(total).toBe(items.length);
  return items.map(({ id }) => id);
};

const titled = (titles: Record<string, string>): Row[] =>
  Object.entries(titles).map(([id, title]) => ({ id, title }));

describe('a search', () => {
  test('wants all words, in any order, in title and tags together', async () => {
    await using _ = await gallery.put(
      { id: 'both', title: 'Spring launch notes' },
      { id: 'tag', title: 'Notes', tags: ['launch'] },
      { id: 'one', title: 'Notes' },
    );
    expect((await found('notes launch')).toSorted()).toEqual(['both', 'tag']);
    expect(await found('notes launch summer')).toEqual([]);
    expect(await found('spring')).toEqual(['both']);
  });

  test('takes the last word as the beginning of one, and no other', async () => {
    await using _ = await gallery.put(...titled({ notes: 'Launch notes', plan: 'Launching plans' }));
    expect((await found('laun')).toSorted()).toEqual(['notes', 'plan']);
    expect(await found('launch no')).toEqual(['notes']);
    expect(await found('laun notes')).toEqual([]);
    expect(await found('plans launching ')).toEqual(['plan']);
    expect(await found('aunch')).toEqual([]);
  });

  test('takes phrases, closed or not, without a prefix', async () => {
    await using _ = await gallery.put(...titled({ near: 'The quick fox', far: 'Fox, quick to go' }));
    expect(await found('"quick fox"')).toEqual(['near']);
    expect(await found('“quick fox”')).toEqual(['near']);
    expect(await found('"quick fox')).toEqual(['near']);
    expect(await found('"quick fo"')).toEqual([]);
    expect(await found('"quick fo')).toEqual([]);
    expect(await found('"the quick" fo')).toEqual(['near']);
  });

  test('takes negations, which are whole words or phrases', async () => {
    await using _ = await gallery.put(...titled({ a: 'red fox', b: 'red foxes', c: 'red hen' }));
    expect((await found('red -fox')).toSorted()).toEqual(['b', 'c']);
    expect((await found('red -"red fox"')).toSorted()).toEqual(['b', 'c']);
    expect((await found('-fox red')).toSorted()).toEqual(['b', 'c']);
    expect((await found('-fox')).toSorted()).toEqual(['b', 'c']);
    expect((await found('red - fox')).toSorted()).toEqual(['a', 'b']);
  });

  test('takes alternatives, the last with a prefix', async () => {
    await using _ = await gallery.put(...titled({ a: 'cat', b: 'dogs', c: 'hen', d: 'or' }));
    expect((await found('cat or do')).toSorted()).toEqual(['a', 'b']);
    expect((await found('cat OR hen')).toSorted()).toEqual(['a', 'c']);
    expect((await found('cat or -dogs')).toSorted()).toEqual(['a', 'c', 'd']);
    expect(await found('or')).toEqual(['d']);
    expect(await found('cat or')).toEqual([]);
    expect(await found('"or"')).toEqual(['d']);
  });

  test('finds the parts of names, addresses and versions, alone and together', async () => {
    await using _ = await gallery.put(
      ...titled({ file: 'launch-notes_v2.final.md', mail: 'write to me@example.org/home' }),
    );
    for (const search of ['notes', 'v2', 'final', 'launch-notes_v2.final.md', 'launch-no', 'notes_v2', 'md'])
      expect([search, await found(search)]).toEqual([search, ['file']]);
    expect(await found('notes-launch')).toEqual([]);
    expect(await found('launch -notes')).toEqual([]);
    expect(await found('example.org')).toEqual(['mail']);
  });

  test('finds nothing where there is no word in it', async () => {
    await using _ = await gallery.put(...titled({ a: 'something' }));
    for (const search of ['"', '-', '!!!', '""', '- -', '☃', "'", '\\', ':*', '&|!()<->'])
      expect([search, await found(search)]).toEqual([search, []]);
  });

  for (const [name, database] of Object.entries({ 'UTF-8': gallery, C: plain }))
    test(`knows letters in all their forms, in a database of the locale ${name}`, async () => {
      const titles = {
        accent: 'Émile à la plage',
        umlaut: 'ÜBERGRÖSSE',
        long: 'Paradiſe',
        cyrillic: 'МОСКВА и Ёлка',
        greek: 'ΟΔΟΣ',
        dotted: 'İstanbul',
        strokes: 'Łódź smørrebrød Æther',
        wide: 'Ｐｅｒｃｈ ｶﾞﾗｽ',
        japanese: '東京タワーの夜景',
        korean: '한국어 노트',
        marks: 'हिन्दी लेख',
        ligature: 'ﬁeld ⅷ',
      };
      await using _ = await database.put(...titled(titles));
      const searches: Array<[search: string, id: string]> = [
        ...([['emile', 'accent'] as const, ['A LA plagé', 'accent'] as const] as Array<[string, string]>),
        ...([['übergröße', 'umlaut'] as const, ['ubergros', 'umlaut'] as const] as Array<[string, string]>),
        ['paradise', 'long'],
        ['PARADIſE', 'long'],
        ['москва', 'cyrillic'],
        ['елка', 'cyrillic'],
        ['Моск', 'cyrillic'],
        ['οδός', 'greek'],
        ['istanbul', 'dotted'],
        ['ISTANBUL', 'dotted'],
        ['lodz SMORREBROD aether', 'strokes'],
        ['perch', 'wide'],
        ['ガラス', 'wide'],
        ['東京', 'japanese'],
        ['タワー', 'japanese'],
        ['夜景 東京', 'japanese'],
        ['"タワーの夜景"', 'japanese'],
        ['한국', 'korean'],
        ['हिन्दी', 'marks'],
        ['field VIII', 'ligature'],
      ];
      for (const [search, id] of searches)
        expect([search, await found(search, {}, database)]).toEqual([search, [id]]);
      expect(await found('京東', {}, database)).toEqual([]);
    });

  test('puts titles before tags, whole words before beginnings, then the newest or the most viewed', async () => {
    const { now } = gallery;
    await using _ = await gallery.put(
      { id: 'tag', title: 'Other', tags: ['art'], views: 900 },
      { id: 'prefix', title: 'Artist', createdAt: now },
      { id: 'old', title: 'Art', createdAt: now - 2, views: 5 },
      { id: 'new', title: 'Art', createdAt: now - 1, views: 2 },
      { id: 'twin', title: 'Art', createdAt: now - 1, views: 2 },
    );
    expect(await found('art')).toEqual(['twin', 'new', 'old', 'prefix', 'tag']);
    expect(await found('art', { sort: 'views' })).toEqual(['old', 'twin', 'new', 'prefix', 'tag']);
  });

  test('goes with the other filters, in pages that fit together', async () => {
    const rows = Array.from({ length: 7 }, (_, n): Row => {
      const kind = n % 2 === 0 ? 'html' : 'file';
      return { id: `n${n}`, kind, title: 'Number', tags: n < 5 ? ['low'] : [] };
    });
    await using _ = await gallery.put(...rows);
    expect(await found('number', { kind: 'file', tag: 'low' })).toEqual(['n3', 'n1']);
    const pages: string[] = [];
    for (let offset = 0; offset < 9; offset += 3) {
      const { items, total } = await find('num', { offset, limit: 3 });
      expect(total).toBe(7);
      pages.push(...items.map(({ id }) => id));
    }
    expect(pages).toEqual(['n6', 'n5', 'n4', 'n3', 'n2', 'n1', 'n0']);
    expect(await find('num', { offset: 7, limit: 3 })).toMatchObject({ items: [], total: 7 });
  });

  test('finds what an update says, and no longer what it said before', async () => {
    await using _ = await gallery.put({ id: 'changing', title: 'Before' });
    await gallery.sql`update items set title = 'After' where id = 'changing'`;
    expect(await found('before')).toEqual([]);
    expect(await found('after')).toEqual(['changing']);
  });
});

test('whatever is searched for is no error', async () => {
  await using _ = await gallery.put({ id: 'a', title: 'a b c', tags: ['or'] });
  const hostile = fc.constantFrom(
    ...[
      '"',
      "'",
      '-',
      ' ',
      'or',
      ' or ',
      '\\',
      ':',
      '*',
      ':*',
      '&',
      '|',
      '!',
      '(',
      ')',
      '<->',
      '<2>',
      '%',
      '_',
    ],
    ...[
      'a',
      'b',
      '☃',
      'é',
      '東',
      '\u0301',
      '\u200d',
      '＂',
      '－',
      '\ufdfa',
      '\u3356',
      '$1',
      "''",
      '1e5',
      '-5',
      '@x.y',
    ],
  );
  const any = fc.oneof(
    fc.array(fc.oneof({ weight: 4, arbitrary: hostile }, fc.string({ unit: anyCharacter, maxLength: 3 })), {
      maxLength: 30,
    }),
    fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 10 }),
  );
  const asked = any.map((parts) => parts.join('').replaceAll('\u0000', '').toWellFormed().slice(0, 200));
  await fc.assert(
    fc.asyncProperty(asked, async (search) => {
      const { items, total } = await find(search);
      expect(items.length).toBe(total);
    }),
    { numRuns: 300 },
  );
  for (const long of [
    '\u3356'.repeat(200),
    '\ufdfa'.repeat(200),
    'x'.repeat(200),
    '-'.repeat(200),
    '"'.repeat(199),
  ])
    expect((await find(long)).total).toBe(0);
});
