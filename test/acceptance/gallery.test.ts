import { describe, expect, test } from 'bun:test';
import {
  codePath,
  jsonOf,
  ownedBy,
  type Published,
  type RequestOptions,
  shortPath,
} from './support/client.ts';
import { atOnce, eventually, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, publishKind, readContent } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

interface Listed {
  namespace: string;
  id: string;
  type: string;
  title: string;
  tags: string[];
  url: string;
  shortUrl: string;
  sizeBytes: number;
  views: number;
  createdAt: string;
  expiresAt: string;
}

interface Gallery {
  items: Listed[];
  total: number;
  page: number;
  size: number;
  pages: number;
}

const read = async (
  query: RequestOptions['query'] = {},
  path = '/api/gallery',
  client = perch.last,
): Promise<Gallery> => {
  const response = await client.request(path, { query });
  expect(response.headers.get('Cache-Control')).toBe('no-cache');
  return await jsonOf<Gallery>(response);
};

const idsOf = ({ items }: Gallery): string[] => items.map(({ id }) => id);

/** A word that no other item has: other files leave theirs in the gallery. */
const word = (): string => `w${crypto.randomUUID().replaceAll('-', '')}`;

describe.each(KINDS)('an item of kind $name', (kind) => {
  test('is listed on every gateway as soon as it is created, until it is removed', async () => {
    const title = word();
    const item = await publishKind(perch, kind, fresh('listed'), { query: { title, tags: 'b,a' } });
    await readContent(perch, kind, item);
    for (const client of perch.clients) {
      const { namespace, id, tags, createdAt, expiresAt } = item;
      // Each gateway of a test knows itself by an address of its own.
      const [url, shortUrl] = [`${client.url}${shortPath(item)}`, `${client.url}${codePath(item)}`];
      const gallery = await read({ q: title }, '/api/gallery', client);
      expect(gallery).toEqual({
        total: 1,
        page: 1,
        size: 20,
        pages: 1,
        items: [
          {
            namespace,
            id,
            type: kind.name,
            title,
            tags,
            url,
            shortUrl,
            createdAt,
            expiresAt,
            sizeBytes: expect.any(Number),
            views: 1,
          },
        ],
      });
      expect(gallery.items[0]?.sizeBytes).toBeGreaterThan(0);
      expect(idsOf(await read({ size: 100 }, '/api/gallery', client))).toContain(id);
    }
    await perch.request(itemPath(kind, item), { method: 'DELETE', ...ownedBy(item) });
    for (const client of perch.clients) {
      const none = { items: [], total: 0, page: 1, size: 20, pages: 0 };
      expect(await read({ q: title }, '/api/gallery', client)).toEqual(none);
      expect(idsOf(await read({ size: 100 }, '/api/gallery', client))).not.toContain(item.id);
    }
  });

  test('with a password, or in another namespace, is never listed', async () => {
    const title = word();
    const options: RequestOptions[] = [
      { query: { title, tags: title }, headers: { 'X-Password': 'secret' } },
      { query: { title, tags: title, p: 'secret' } },
      { query: { title, tags: title, ns: 'not-listed' } },
      { query: { title, tags: title, ns: 'not-listed', p: 'secret' } },
    ];
    for (const option of options) await publishKind(perch, kind, fresh('hidden'), option);
    for (const query of [
      { q: title },
      { tag: title },
      { q: `"${title}"`, kind: kind.name },
      { q: title, sort: 'views' },
    ])
      expect((await read(query)).total).toBe(0);
  });

  test('is found by its kind, and on the addresses that are for its kind', async () => {
    const title = word();
    const { id } = await publishKind(perch, kind, fresh('kind'), { query: { title } });
    for (const { name } of KINDS)
      expect(idsOf(await read({ q: title, kind: name }))).toEqual(name === kind.name ? [id] : []);
    expect(idsOf(await read({ q: title }, '/api/gallery/pages'))).toEqual(kind.name === 'html' ? [id] : []);
    expect(idsOf(await read({ q: title }, '/api/gallery/files'))).toEqual(kind.name === 'file' ? [id] : []);
  });

  test('without a title of its own has one all the same', async () => {
    const tag = word();
    const { id } = await publishKind(perch, kind, fresh('untitled'), { query: { tags: tag } });
    const { items } = await read({ tag });
    const named: Record<string, string> = { file: 'notes.txt', site: 'index.html' };
    expect(items.map(({ title }) => title)).toEqual([named[kind.name] ?? id]);
  });
});

test('a new title is found, the former no longer', async () => {
  const [before, after] = [word(), word()];
  const item = await perch.publish(`<title>${before}</title>`);
  expect(idsOf(await read({ q: before }))).toEqual([item.id]);
  const update = { method: 'PUT', body: `<title>${after}</title>` };
  const headers = { ...ownedBy(item).headers, 'Content-Type': 'text/html' };
  expect((await perch.api(item, { ...update, headers })).status).toBe(200);
  expect(idsOf(await read({ q: after }))).toEqual([item.id]);
  expect((await read({ q: before })).total).toBe(0);
});

test('a search takes words, beginnings, phrases, negations and alternatives, of titles and tags', async () => {
  const mark = word();
  const [cafe, notes] = await Promise.all([
    perch.publish('<p>1', { query: { title: `Café au lait ${mark}`, tags: 'drinks' } }),
    perch.publish('<p>2', { query: { title: `launch-notes.md ${mark}`, tags: 'drinks,Über uns' } }),
  ]);
  const finds: Array<[q: string, ids: string[]]> = [
    [`${mark} cafe`, [cafe.id]],
    [`${mark} CAF`, [cafe.id]],
    [`${mark} "au lait"`, [cafe.id]],
    [`${mark} "lait au"`, []],
    [`${mark} note`, [notes.id]],
    [`${mark} uber`, [notes.id]],
    [`${mark} drinks -cafe`, [notes.id]],
    [`lait or ${mark} launch`, [cafe.id, notes.id]],
    [mark.slice(0, -1), [cafe.id, notes.id]],
  ];
  for (const [q, ids] of finds)
    for (const query of [{ q }, { search: q }, { q: ' ', search: q }, { q, search: 'other' }])
      expect([q, idsOf(await read(query)).toSorted()]).toEqual([q, ids.toSorted()]);
  expect((await read({ q: '!!!' })).total).toBe(0);
  expect(idsOf(await read({ tag: 'ÜBER UNS', q: mark }))).toEqual([notes.id]);
  expect(idsOf(await read({ tag: 'über', q: mark }))).toEqual([]);
});

test('views are those of this moment, and order the gallery soon', async () => {
  const mark = word();
  const items: Published[] = [];
  for (let n = 0; n < 3; n++) {
    items.push(await perch.publish(`<p>${n}`, { query: { title: mark } }));
    await Bun.sleep(2);
  }
  const [least, most, some] = items.map(({ id }) => id);
  for (const [n, item] of items.entries())
    for (const client of perch.clients)
      for (let view = 0; view < (n * 4) % 6; view++) await client.read(item);
  expect(idsOf(await read({ q: mark }))).toEqual(items.map(({ id }) => id).toReversed());
  const gateways = perch.clients.length;
  const views = Object.fromEntries((await read({ q: mark })).items.map(({ id, views }) => [id, views]));
  expect(views).toEqual({ [least ?? '']: 0, [most ?? '']: 4 * gateways, [some ?? '']: 2 * gateways });
  const order = JSON.stringify([most, some, least]);
  await eventually(
    async () => JSON.stringify(idsOf(await read({ q: mark, sort: 'views' }))) === order,
    30_000,
  );
  expect(idsOf(await read({ q: mark, sort: 'date' }))).toEqual([some, most, least].map((id) => id ?? ''));
});

test('it comes in pages, with either name of their size', async () => {
  const tag = word();
  const items = await atOnce(7, (n) => perch.publish(`<p>${n}`, { query: { tags: tag } }));
  const whole = idsOf(await read({ tag }));
  expect(whole.toSorted()).toEqual(items.map(({ id }) => id).toSorted());
  for (const name of ['size', 'limit'])
    for (const size of [1, 3, 6, 7, 8, 99, 100]) {
      const parts: string[] = [];
      const pages = Math.ceil(7 / size);
      for (let page = 1; page <= pages; page++) {
        const part = await read({ tag, page, [name]: size });
        expect(part).toMatchObject({ total: 7, page, size, pages });
        parts.push(...idsOf(part));
      }
      expect(parts).toEqual(whole);
      expect(await read({ tag, page: pages + 1, [name]: size })).toMatchObject({ items: [], total: 7 });
    }
  expect(await read({ tag, size: 2, limit: 5 })).toMatchObject({ size: 2 });
  expect(await read({ tag, page: 1_000_000, size: 100 })).toMatchObject({ items: [], total: 7 });
});

test('refuses what is no parameter, and says which', async () => {
  const refused: Array<[field: string, values: string[]]> = [
    ['page', ['0', '-1', '1.5', 'x', '1000001']],
    ['size', ['0', '-1', '101', 'x']],
    ['limit', ['0', '101']],
    ['sort', ['name', 'DATE']],
    ['kind', ['page', 'HTML', 'markdown', 'html,file']],
    ['q', ['x'.repeat(201), 'a\u0000b', 'a\nb']],
    ['tag', ['x'.repeat(51), 'a\u0007']],
  ];
  for (const [field, values] of refused)
    for (const value of values)
      for (const path of ['/api/gallery', '/api/gallery/pages', '/api/gallery/files'])
        await expectError(
          await perch.request(path, { query: { [field]: value } }),
          ...([400, 'VALIDATION_FAILED', field] as const),
        );
  for (const [path, kind] of [
    ['pages', 'file'],
    ['files', 'html'],
  ] as const)
    await expectError(
      await perch.request(`/api/gallery/${path}`, { query: { kind } }),
      ...([400, 'VALIDATION_FAILED', 'kind'] as const),
    );
  for (const query of [
    { q: 'x'.repeat(200) },
    { tag: 'x'.repeat(50) },
    { q: '', kind: ' ', page: '', sort: '' },
  ])
    expect((await perch.request('/api/gallery', { query })).status).toBe(200);
  const method = await perch.request('/api/gallery', { method: 'POST' });
  await expectError(method, 405, 'METHOD_NOT_ALLOWED');
});

test('items created at once by many are all listed', async () => {
  const title = word();
  const items = await atOnce(60, (n) =>
    (n % 2 ? perch : perch.last).publish(`<p>${n}`, { query: { title } }),
  );
  const { items: listed, total } = await read({ q: title, size: 100 });
  expect(total).toBe(60);
  expect(listed.map(({ id }) => id).toSorted()).toEqual(items.map(({ id }) => id).toSorted());
});
