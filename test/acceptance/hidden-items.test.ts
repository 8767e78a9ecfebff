import { describe, expect, test } from 'bun:test';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { type ListPart, listOf } from './support/admin-list.ts';
import { type Address, type Client, codePath, jsonOf, ownedBy, type Published } from './support/client.ts';
import { atOnce, eventually, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, type KindUnderTest, publishKind, readContent, readsOf } from './support/kinds.ts';
import { usePerch } from './support/perch.ts';

const env = { ADMIN_PASSWORD, TRUST_PROXY: '1' };
const perch = usePerch({ gateways: 2, contents: 2, kvs: 2, sites: 2, env });

const PATH = '/api/admin/publications';

interface Publication {
  namespace: string;
  id: string;
  url: string;
  type: string;
  title: string;
  sizeBytes: number;
  views: number;
  ownerId: string;
  clientIp: string | null;
  userAgent: string | null;
  hasPassword: boolean;
  state: string;
  createdAt: string;
}

const list = async (query: Record<string, string | number> = {}): Promise<ListPart<Publication>> =>
  await listOf<Publication>(await perch.last.request(PATH, { headers: ADMIN, query }));

const set = (state: 'hide' | 'show', { namespace, id }: Address, client: Client = perch) =>
  client.request(`/api/admin/items/${namespace}/${id}/${state}`, { method: 'POST', headers: ADMIN });

const stateOf = async ({ namespace, id }: Address) =>
  (await list({ namespace, id })).items.map(({ state }) => state);

/** The bytes, without the address of the gateway that links follow. */
const contentOf = async (response: Response, { url }: Client): Promise<string> =>
  Buffer.from(await response.bytes())
    .toString('latin1')
    .replaceAll(url, '');

describe.each(KINDS)('a hidden item of kind $name', (kind) => {
  test.each([
    ['public', '', 410, 'GONE'],
    ['hidden-things', 'secret', 404, 'NOT_FOUND'],
  ] as const)(
    'in %s with the password "%s" is %d, and comes back unchanged',
    async (ns, password, status, code) => {
      const query = { ns, id: fresh('hidden') };
      const item = await publishKind(perch, kind, 'x', { query, headers: { 'X-Password': password } });
      const read = (client: Client) => readContent(client, kind, item, ownedBy(item));
      const before = await read(perch);
      const content = await contentOf(before, perch);
      expect((await read(perch.last)).headers.get('X-Views')).toBe('2');

      const hidden = await set('hide', item);
      expect(await jsonOf(hidden)).toEqual({
        ...query,
        ns: undefined,
        namespace: ns,
        type: kind.name,
        state: 'hidden',
      });
      for (const client of perch.clients) {
        await expectError(await client.request(codePath(item)), status, code);
        for (const path of readsOf(kind, item)) {
          if (path.startsWith('/api/')) {
            const foreign = { headers: { 'X-Owner-Token': 'own_of-somebody-else', 'X-Password': password } };
            await expectError(await client.request(path, foreign), 404, 'NOT_FOUND');
            const own = await client.request(path, ownedBy(item));
            // A cache on the way would give it to others.
            expect([own.status, own.headers.get('Cache-Control')]).toEqual([200, 'private, no-store']);
          } else {
            for (const options of [{}, ownedBy(item)])
              await expectError(await client.request(path, options), status, code);
          }
        }
        const removal = { method: 'DELETE', headers: { 'X-Owner-Token': 'own_of-somebody-else' } };
        await expectError(await client.request(itemPath(kind, item), removal), 404, 'NOT_FOUND');
        const owned = await client.request('/api/owner/items', ownedBy(item));
        expect(await jsonOf(owned)).toMatchObject({ total: 0 });
      }
      expect(await stateOf(item)).toEqual(['hidden']);

      expect((await set('show', item, perch.last)).status).toBe(200);
      for (const [n, client] of perch.clients.entries()) {
        const after = await read(client);
        expect(after.status).toBe(200);
        expect(after.headers.get('X-Views')).toBe(String(n + 3));
        expect(await contentOf(after, client)).toBe(content);
      }
      expect(await stateOf(item)).toEqual(['live']);
    },
  );

  test('is removed by its owner, and its address is free again', async () => {
    const query = { id: fresh('hidden') };
    const item = await publishKind(perch, kind, 'x', { query });
    expect((await set('hide', item)).status).toBe(200);
    const removal = { method: 'DELETE', ...ownedBy(item) };
    expect((await perch.last.request(itemPath(kind, item), removal)).status).toBe(204);
    await expectError(await set('show', item), 404, 'NOT_FOUND');
    expect((await readContent(perch, kind, await publishKind(perch, kind, 'y', { query }))).status).toBe(200);
  });
});

test('the owner of a hidden page reads its source and corrects it', async () => {
  const page = await perch.publish('<p>first');
  await set('hide', page);
  const api = `/api/html/${page.namespace}/${page.id}`;
  for (const client of perch.clients)
    expect(await jsonOf(await client.request(`${api}/source`, ownedBy(page)))).toMatchObject({
      content: '<p>first',
    });
  const update = {
    method: 'PUT',
    headers: { ...ownedBy(page).headers, 'Content-Type': 'text/html' },
    body: '<p>better',
  };
  expect((await perch.last.request(api, update)).status).toBe(200);
  for (const client of perch.clients) await expectError(await client.read(page), 410, 'GONE');
  await set('show', page);
  for (const client of perch.clients) expect(await (await client.read(page)).text()).toContain('<p>better');
});

test('a hidden item is in no list', async () => {
  const word = fresh('Unlisted');
  const items = await Promise.all(
    ['a', 'b'].map((n) => perch.publish(`<p>${n}`, { query: { title: `${word} ${n}` } })),
  );
  const [kept, gone] = items as [Published, Published];
  const found = async (path: string, query = {}) =>
    (await jsonOf<{ items: Address[]; total: number }>(await perch.last.request(path, { query }))).items.map(
      ({ id }) => id,
    );
  expect((await found('/api/gallery', { q: word })).toSorted()).toEqual(items.map(({ id }) => id).toSorted());
  await set('hide', gone);
  for (const query of [{ q: word }, { size: 100 }, { size: 100, sort: 'views' }, { size: 100, kind: 'html' }])
    for (const path of ['/api/gallery', '/api/gallery/pages']) {
      const ids = await found(path, query);
      expect(ids).toContain(kept.id);
      expect(ids).not.toContain(gone.id);
    }
  const own = await perch.request('/api/html', ownedBy(gone));
  expect(await jsonOf<unknown>(own)).toEqual([]);
  await set('show', gone);
  await eventually(async () => (await found('/api/gallery', { q: word })).length === 2);
});

const [html, json] = KINDS as [KindUnderTest, KindUnderTest];

describe('the publications', () => {
  test('are all items with where they came from, newest first', async () => {
    const token = `own_${fresh('publisher-of-this')}`;
    const headers = {
      'X-Owner-Token': token,
      'X-Forwarded-For': '2001:DB8::7',
      'User-Agent': `Tool/1 ${token}`,
    };
    const made: Published[] = [];
    for (const kind of KINDS) {
      made.unshift(await publishKind(perch, kind, 'x', { headers, query: { ns: 'publications' } }));
      await Bun.sleep(2);
    }
    const locked = await perch.publish('<p>x', { headers: { ...headers, 'X-Password': 'secret' } });
    made.unshift(locked);
    const { items } = await list({ limit: 200 });
    const mine = items.filter(({ userAgent }) => userAgent === headers['User-Agent']);
    expect(mine.map(({ namespace, id }) => `${namespace}/${id}`)).toEqual(
      made.map(({ namespace, id }) => `${namespace}/${id}`),
    );
    for (const item of mine)
      expect(item).toMatchObject({ clientIp: '2001:db8::7', state: 'live', ownerId: mine[0]?.ownerId ?? '' });
    expect(mine.map(({ hasPassword }) => hasPassword)).toEqual(made.map((item) => item === locked));
    const owned = await jsonOf<{
      items: Array<{ id: string; sizeBytes: number; type: string; title: string }>;
    }>(await perch.request('/api/owner/items', { headers: { 'X-Owner-Token': token } }));
    for (const { id, sizeBytes, type, title } of owned.items)
      expect(mine.find((item) => item.id === id)).toMatchObject({ sizeBytes, type, title });
  });

  test('are filtered, counted and come in parts', async () => {
    const namespace = fresh('parts').toLowerCase();
    for (let n = 0; n < 5; n++) {
      await publishKind(perch, n % 2 === 0 ? html : json, 'x', {
        query: { ns: namespace, id: `item-${n}` },
      });
    }
    await set('hide', { namespace, id: 'item-0' });
    const ids = async (query: Record<string, string | number>) => {
      const found = await list({ namespace, ...query });
      expect(found.total).toBeGreaterThanOrEqual(found.items.length);
      return found.items.map(({ id }) => id);
    };
    expect(await ids({})).toEqual([4, 3, 2, 1, 0].map((n) => `item-${n}`));
    expect(await ids({ limit: 2, offset: 1 })).toEqual(['item-3', 'item-2']);
    expect(await ids({ type: 'json' })).toEqual(['item-3', 'item-1']);
    expect(await ids({ state: 'hidden' })).toEqual(['item-0']);
    expect(await ids({ state: 'live', type: 'html' })).toEqual(['item-4', 'item-2']);
    expect(await ids({ state: 'quarantined' })).toEqual([]);
    expect(await ids({ id: 'item-3' })).toEqual(['item-3']);
    expect((await list({ namespace })).total).toBe(5);
    for (const [name, value] of [
      ...[
        ['type', 'page'],
        ['namespace', 'A'],
        ['id', '-x'],
        ['state', 'gone'],
        ['limit', '201'],
        ['offset', 'x'],
      ],
    ] as const)
      await expectError(
        await perch.request(PATH, { headers: ADMIN, query: { [name]: value } }),
        400,
        'VALIDATION_FAILED',
        name,
      );
  });

  test('are for the operator only, and so is hiding', async () => {
    const page = await perch.publish('<p>x');
    for (const headers of [{}, ownedBy(page).headers, { 'X-Admin-Password': 'wrong' }]) {
      await expectError(await perch.request(PATH, { headers }), 401, 'ADMIN_UNAUTHORIZED');
      for (const what of ['hide', 'show'])
        await expectError(
          await perch.request(`/api/admin/items/public/${page.id}/${what}`, { method: 'POST', headers }),
          ...([401, 'ADMIN_UNAUTHORIZED'] as const),
        );
    }
    expect((await perch.read(page)).status).toBe(200);
    for (const item of [
      { namespace: 'public', id: 'never-was' },
      { namespace: 'NOT', id: 'x' },
    ])
      for (const what of ['hide', 'show'] as const)
        await expectError(await set(what, item), 404, 'NOT_FOUND');
  });
});

test('hidden and shown by many at once, an item ends as one of them, everywhere', async () => {
  const page = await perch.publish('<p>x');
  await atOnce(12, (n) => set(n % 2 === 0 ? 'hide' : 'show', page, n % 3 === 0 ? perch : perch.last));
  const [state] = await stateOf(page);
  for (const client of perch.clients)
    expect((await client.read(page)).status).toBe(state === 'hidden' ? 410 : 200);
});
