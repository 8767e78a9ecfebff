import { expect, test } from 'bun:test';
import { countListedItems } from '../../services/content/gallery/listed-count.ts';
import { walkListedItems } from '../../services/content/gallery/lists.ts';
import { createSitemap } from '../../services/gateway/features/discovery/sitemap.ts';
import { readSitemapFile } from '../sitemap-file.ts';
import { type Row, useGalleryDatabase } from './gallery-database.ts';

const gallery = useGalleryDatabase();
const OWN = 4;
const CONTEXT = { requestId: 'test', deadline: Number.MAX_SAFE_INTEGER };

/** A sitemap over the items of the database, and how often it asked for them. */
function sitemapOf(urlsPerFile: number, keptMs = 60_000) {
  const asked = { counts: 0, walks: 0 };
  const { sql, now } = gallery;
  const sitemap = createSitemap(
    {
      async count() {
        asked.counts += 1;
        return await countListedItems(sql, { kind: null, tag: null }, now);
      },
      async walk(range) {
        asked.walks += 1;
        return await walkListedItems(sql, range, now);
      },
    },
    { baseUrl: 'https://perch.example', itemsUrl: 'https://items.example', urlsPerFile, keptMs },
  );
  const read = async (part: number | null = null) => {
    const file = await sitemap.file(part, CONTEXT);
    return file === null ? null : readSitemapFile(new TextDecoder().decode(file.bytes));
  };
  return { read, asked };
}

const rowsOf = (count: number, prefix = 'i'): Row[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `${prefix}${n}`,
    createdAt: gallery.now - 1_000 + (n >> 1),
  }));

const HIDDEN: Row[] = [
  { id: 'locked', passwordHash: 'hash' },
  { id: 'team', namespace: 'team' },
  { id: 'over', expiresAt: gallery.now },
];

const ownUrls = ['/', '/gallery', '/docs', '/stats'].map((path) => `https://perch.example${path}`);

test('without items the sitemap has the pages of the service', async () => {
  const file = await sitemapOf(50_000).read();
  expect(file).toMatchObject({ root: 'urlset', urls: ownUrls.map((loc) => ({ loc, lastmod: null })) });
});

test('up to the limit it is one file, oldest first, one more makes it an index', async () => {
  for (const [count, parts] of [
    [5, 1],
    [6, 1],
    [7, 2],
    [12, 2],
    [13, 3],
  ] as const) {
    await using _ = await gallery.put(...rowsOf(count), ...HIDDEN);
    const { read } = sitemapOf(6 + OWN);
    const first = await read();
    const expected = rowsOf(count).map(({ id }) => `https://items.example/public/${id}`);
    if (parts === 1) {
      const changed = new Date(gallery.now - 1_000).toISOString();
      expect(first?.root).toBe('urlset');
      expect(first?.urls.map(({ loc }) => loc)).toEqual([...ownUrls, ...expected]);
      expect(first?.urls[OWN]?.lastmod).toBe(changed);
      expect(await read(1)).toEqual(first);
      expect(await read(2)).toBe(null);
      continue;
    }
    const numbers = Array.from({ length: parts }, (_, n) => n + 1);
    expect(first).toEqual({
      root: 'sitemapindex',
      urls: numbers.map((part) => ({ loc: `https://perch.example/sitemap.xml?part=${part}`, lastmod: null })),
    });
    const files = await Promise.all(numbers.map((part) => read(part)));
    for (const file of files) expect(file?.urls.length).toBeLessThanOrEqual(6 + OWN);
    expect(files.flatMap((file) => file?.urls.map(({ loc }) => loc))).toEqual([...ownUrls, ...expected]);
    expect(await read(parts + 1)).toBe(null);
  }
});

test('who asks at once, or again soon, costs the database nothing more', async () => {
  await using _ = await gallery.put(...rowsOf(9));
  const { read, asked } = sitemapOf(5 + OWN);
  const files = await Promise.all(Array.from({ length: 20 }, () => Promise.all([read(), read(1), read(2)])));
  expect(new Set(files.map((file) => JSON.stringify(file))).size).toBe(1);
  await read(2);
  expect(asked).toEqual({ counts: 1, walks: 2 });
});

test('a failure is told to all who wait, and is not kept', async () => {
  let failing = true;
  const sitemap = createSitemap(
    {
      count: async () => {
        if (failing) throw new Error('away');
        return 0;
      },
      walk: async () => [],
    },
    { baseUrl: 'https://a.example', itemsUrl: 'https://a.example', urlsPerFile: 100, keptMs: 60_000 },
  );
  const attempts = await Promise.allSettled([1, 2, 3].map(() => sitemap.file(null, CONTEXT)));
  expect(attempts.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  failing = false;
  expect(await sitemap.file(null, CONTEXT)).not.toBe(null);
});

test('batches of the walk fit together, also among items of the same moment', async () => {
  const { sql, now, put } = gallery;
  await using _ = await put(...rowsOf(11));
  for (const limit of [1, 2, 3, 11, 12]) {
    const ids: string[] = [];
    for (let after: { createdAt: number; id: string } | null = null; ; ) {
      const batch = await walkListedItems(sql, { after, offset: 0, limit }, now);
      ids.push(...batch.map(({ id }) => id));
      after = batch.at(-1) ?? null;
      if (batch.length < limit) break;
    }
    expect(ids.toSorted()).toEqual(
      rowsOf(11)
        .map(({ id }) => id)
        .toSorted(),
    );
  }
});
