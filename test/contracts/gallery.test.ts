import { describe, expect, test } from 'bun:test';
import { countListedItems } from '../../services/content/gallery/listed-count.ts';
import { walkListedItems } from '../../services/content/gallery/lists.ts';
import { createGalleryLists } from '../../services/content/operations/list-gallery.ts';
import { KINDS } from '../../shared/items/item.ts';
import { DAY_MS, type Row, useGalleryDatabase } from './gallery-database.ts';

const gallery = useGalleryDatabase();

type Filter = Partial<Parameters<ReturnType<typeof createGalleryLists>['listGallery']>[0]>;

const list = (filter: Filter = {}, now = gallery.now) =>
  createGalleryLists({ ...gallery, clock: { now: () => now } }).listGallery(
    {
      search: null,
      kind: null,
      tag: null,
      sort: 'date',
      offset: 0,
      limit: 100,
      ...filter,
    },
    { requestId: 'test', deadline: Date.now() + 60_000 },
  );

const ids = async (filter: Filter = {}, now = gallery.now): Promise<string[]> => {
  const { items, total } = await list(filter, now);
  expect(total).toBe(items.length);
  return items.map(({ id }) => id);
};

describe('the gallery', () => {
  test('is empty without items', async () => {
    expect(await list()).toEqual({ items: [], total: 0 });
    expect(await list({ offset: 100 })).toEqual({ items: [], total: 0 });
  });

  test('has public items without a password, until they expire, and no others', async () => {
    const { now, sql } = gallery;
    const hidden: Row[] = [
      { id: 'protected', passwordHash: 'hash' },
      { id: 'private', namespace: 'team' },
      { id: 'private-protected', namespace: 'team', passwordHash: 'hash' },
      { id: 'over', expiresAt: now },
      { id: 'long-over', expiresAt: now - DAY_MS },
    ];
    const rows = hidden.map((row): Row => ({ ...row, title: 'Hidden thing', tags: ['thing'] }));
    await using _ = await gallery.put(...rows, {
      id: 'shown',
      title: 'Shown thing',
      tags: ['thing'],
      expiresAt: now + 1,
    });
    for (const filter of [
      {},
      { sort: 'views' as const },
      { search: 'thing' },
      { tag: 'thing' },
      { search: '-x' },
    ])
      expect(await ids(filter)).toEqual(['shown']);
    expect(await ids({ search: 'hidden' })).toEqual([]);
    expect(await ids({ kind: 'html' }, now + 1)).toEqual([]);
    expect(await countListedItems(sql, { kind: null, tag: null }, now)).toBe(1);
    expect(await walkListedItems(sql, { after: null, offset: 0, limit: 10 }, now)).toMatchObject([
      { id: 'shown' },
    ]);
    const [{ count } = { count: -1 }] = await sql<Array<{ count: number }>>`
      select count(*) as count from items where search is not null and (namespace <> 'public' or password_hash is not null)`;
    expect(count).toBe(0);
  });

  test('tells of each item what everybody may know', async () => {
    const { now, sql } = gallery;
    await using _ = await gallery.put({
      id: 'store',
      kind: 'kv',
      title: 'Values',
      tags: ['b', 'a'],
      views: 12,
    });
    for (const [key, sizeBytes] of [
      ['a', 3],
      ['b', 4],
    ] as const)
      await sql`
        insert into kv_entries (namespace, id, key, value, size_bytes, updated_at)
        values ('public', 'store', ${key}, '1', ${sizeBytes}, ${now})`;
    expect((await list()).items).toEqual([
      {
        namespace: 'public',
        id: 'store',
        kind: 'kv',
        code: 'public store',
        title: 'Values',
        tags: ['b', 'a'],
        sizeBytes: 7,
        views: 12,
        createdAt: now,
        expiresAt: now + DAY_MS,
        source: null,
        picture: null,
      },
    ]);
    await sql`delete from kv_entries`;
    expect((await list()).items[0]?.sizeBytes).toBe(0);
  });

  test('is in the order of date or views, with the same order among equals', async () => {
    const { now } = gallery;
    await using _ = await gallery.put(
      { id: 'b', createdAt: now - 5, views: 7 },
      { id: 'a', createdAt: now - 5, views: 7 },
      { id: 'new', createdAt: now - 1, views: 1 },
      { id: 'old', createdAt: now - 9, views: 9 },
      { id: 'same-views', createdAt: now - 2, views: 7 },
    );
    expect(await ids()).toEqual(['new', 'same-views', 'b', 'a', 'old']);
    expect(await ids({ sort: 'views' })).toEqual(['old', 'same-views', 'b', 'a', 'new']);
  });

  test('is cut into pages that fit together, to the end and beyond', async () => {
    const rows = Array.from({ length: 11 }, (_, n): Row => {
      const [kind = 'html'] = [KINDS[n % KINDS.length]];
      return { id: `p${n}`, kind, views: n % 3, createdAt: gallery.now - (n % 4) };
    });
    await using _ = await gallery.put(...rows);
    for (const sort of ['date', 'views'] as const) {
      const whole = await ids({ sort });
      expect(whole).toHaveLength(11);
      for (const limit of [1, 4, 10, 11, 12]) {
        const pages: string[] = [];
        for (let offset = 0; offset < 11; offset += limit) {
          const { items, total } = await list({ sort, offset, limit });
          expect([total, items.length]).toEqual([11, Math.min(limit, 11 - offset)]);
          pages.push(...items.map(({ id }) => id));
        }
        expect(pages).toEqual(whole);
      }
      expect(await list({ sort, offset: 11, limit: 5 })).toEqual({ items: [], total: 11 });
      expect(await list({ sort, offset: 99_999_900, limit: 100 })).toEqual({ items: [], total: 11 });
    }
  });

  test('can be of one kind, of one tag, of both', async () => {
    await using _ = await gallery.put(
      ...KINDS.map((kind): Row => ({ id: kind, kind, tags: ['all', `only ${kind}`] })),
    );
    for (const kind of KINDS) {
      expect(await ids({ kind })).toEqual([kind]);
      expect(await ids({ kind, sort: 'views' })).toEqual([kind]);
      expect(await ids({ tag: `only ${kind}` })).toEqual([kind]);
      expect(await ids({ kind, tag: 'all' })).toEqual([kind]);
    }
    expect(await ids({ tag: 'all' })).toHaveLength(KINDS.length);
    // A tag is meant whole, and as it is.
    for (const tag of ['only', 'al', 'ALL', 'all,only html', '{all}', "all'"])
      expect(await ids({ tag })).toEqual([]);
  });
});

describe('old processes', () => {
  test('go on: what they insert is listed without their knowing', async () => {
    await using _ = await gallery.put({ id: 'inserted', title: 'From before' });
    expect(await ids({ search: 'before' })).toEqual(['inserted']);
  });

  test('and items with the longest titles and tags have their words', async () => {
    const tags = Array.from({ length: 20 }, (_, n) => `${String(n).padStart(2, '0')}${'\u3356'.repeat(48)}`);
    const title = `${'\ufdfa'.repeat(199)}x`;
    await using _ = await gallery.put({ id: 'long', title, tags });
    expect(await ids({ tag: tags[19] ?? '' })).toEqual(['long']);
    expect(await ids({ search: '19' })).toEqual(['long']);
  });
});
