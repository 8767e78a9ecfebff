import { describe, expect, test } from 'bun:test';
import { jsonOf, type Published, type RequestOptions } from './support/client.ts';
import { atOnce, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, publishKind, readContent } from './support/kinds.ts';
import { publishStore, setKey } from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

interface Listed extends Published {
  type: string;
  updatedAt: string;
  views: number;
}

interface Page {
  items: Listed[];
  total: number;
  page: number;
  size: number;
  pages: number;
}

const mint = async (options: RequestOptions = {}): Promise<string> => {
  const response = await perch.request('/api/owner', { method: 'POST', ...options });
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  return (await jsonOf<{ ownerToken: string }>(response, 201)).ownerToken;
};
const newOwner = async () => ({ headers: { 'X-Owner-Token': await mint() } });

const list = async (options: RequestOptions = {}, client = perch.last): Promise<Page> => {
  const response = await client.request('/api/owner/items', options);
  expect(response.headers.get('Cache-Control')).toBe('private, no-store');
  return await jsonOf<Page>(response);
};

const EMPTY: Page = { items: [], total: 0, page: 1, size: 100, pages: 0 };

describe('POST /api/owner', () => {
  test('makes a token that creates take, each time another', async () => {
    const tokens = await atOnce(5, () => mint());
    expect(new Set(tokens).size).toBe(5);
    for (const token of tokens) expect(token).toMatch(/^own_[\w-]{43}$/);
    const [token = ''] = tokens;
    const item = await perch.publish('<p>mine', { headers: { 'X-Owner-Token': token } });
    expect(item.ownerToken).toBe(token);
  });

  test('gives nobody the token of another, whatever key they have used', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const item = await perch.publish('<p>mine', { headers });
    const [first, second] = [await mint({ headers }), await mint({ headers })];
    expect(new Set([item.ownerToken, first, second]).size).toBe(3);
  });

  test('is the only thing its address can do', async () => {
    const options = await perch.request('/api/owner', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('Allow')]).toEqual([204, 'OPTIONS, POST']);
    for (const method of ['GET', 'PUT', 'DELETE'])
      await expectError(await perch.request('/api/owner', { method }), 405, 'METHOD_NOT_ALLOWED');
    await expectError(
      await perch.request('/api/owner/items', { method: 'POST' }),
      ...([405, 'METHOD_NOT_ALLOWED'] as const),
    );
    const head = await perch.request('/api/owner/items', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe('GET /api/owner/items', () => {
  test('is empty without a token, with a blank one and for one that owns nothing', async () => {
    for (const options of [
      {},
      { headers: { 'X-Owner-Token': '' } },
      { query: { token: '' } },
      await newOwner(),
    ])
      expect(await list(options)).toEqual(EMPTY);
  });

  test('shows items of all kinds in all namespaces, newest first, and nobody else’s', async () => {
    const owner = await newOwner();
    const made: Published[] = [];
    for (const kind of KINDS)
      for (const ns of ['public', fresh('owned')]) {
        const headers = { ...owner.headers, 'X-Password': ns === 'public' ? '' : 'right' };
        const query = { ns, ttl: 4, tags: 'a,b', title: `A ${kind.name}` };
        made.unshift(await publishKind(perch, kind, 'mine', { query, headers }));
        await publishKind(perch, kind, 'not mine', { query: { ns } });
        await Bun.sleep(2);
      }
    const kindOf = (item: Published) => item.title.slice(2);
    for (const kind of KINDS) {
      const item = made.find((one) => kindOf(one) === kind.name);
      if (item !== undefined) await readContent(perch, kind, item, owner);
    }
    const token = owner.headers['X-Owner-Token'];
    for (const client of perch.clients)
      for (const options of [owner, { query: { token } }]) {
        const page = await list(options, client);
        expect(page).toMatchObject({ total: 10, page: 1, size: 100, pages: 1 });
        expect(page.items.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
        expect(JSON.stringify(page)).not.toMatch(/argon2|ownerHash|blobKey|passwordHash/);
        expect(JSON.stringify(page)).not.toContain(token);
      }
    const { items } = await list(owner);
    for (const [n, item] of made.entries()) {
      const { namespace, id, shortUrl, title, tags, createdAt, expiresAt, sizeBytes } = item;
      const listed = items[n] ?? { url: '', shortUrl: '', link: '' };
      // Each gateway names itself in addresses, as it knows no other name.
      expect(new URL(listed.url).pathname).toBe(`/${namespace}/${id}`);
      expect(listed.link).toBe(listed.url);
      expect(new URL(listed.shortUrl).pathname).toBe(new URL(shortUrl).pathname);
      expect(listed).toMatchObject({
        namespace,
        id,
        title,
        tags,
        createdAt,
        expiresAt,
        sizeBytes,
        ttlDays: 4,
        updatedAt: createdAt,
        type: kindOf(item),
        hasPassword: namespace !== 'public',
        views: namespace === 'public' ? 0 : 1,
      });
    }
    for (const kind of KINDS) {
      const page = await list({ ...owner, query: { kind: kind.name } });
      expect([page.total, page.items.map(({ type }) => type)]).toEqual([2, [kind.name, kind.name]]);
    }
  });

  test('tells of a store what its values have together, and when the last was written', async () => {
    const owner = await newOwner();
    const store = await publishStore(perch, { key: 'a', value: 'four' }, owner);
    const { updatedAt } = await setKey(perch, store, 'b', '12345678');
    expect((await list(owner)).items).toMatchObject([{ sizeBytes: 12, updatedAt }]);
  });

  test('loses what is removed at once', async () => {
    const owner = await newOwner();
    for (const kind of KINDS) {
      const item = await publishKind(perch, kind, 'x', owner);
      expect((await list(owner)).total).toBe(1);
      await perch.request(itemPath(kind, item), { method: 'DELETE', ...owner });
      for (const client of perch.clients) expect(await list(owner, client)).toEqual(EMPTY);
    }
  });

  test('comes in pages, in one order', async () => {
    const owner = await newOwner();
    const made = await atOnce(7, (n) =>
      perch.publish(`<p>${n}`, {
        ...owner,
        query: { ns: n % 2 === 0 ? 'pages-even' : 'pages-odd', id: fresh('same') },
      }),
    );
    const whole = (await list(owner)).items.map(({ id }) => id);
    expect(whole.toSorted()).toEqual(made.map(({ id }) => id).toSorted());
    for (const size of [1, 3, 6, 7, 8, 1000]) {
      const pages = Math.ceil(7 / size);
      const ids: string[] = [];
      for (let page = 1; page <= pages; page++) {
        const part = await list({ ...owner, query: { page, size } });
        expect(part).toMatchObject({ total: 7, page, size, pages });
        ids.push(...part.items.map(({ id }) => id));
      }
      expect(ids).toEqual(whole);
      const beyond = await list({ ...owner, query: { page: pages + 1, size } });
      expect(beyond).toEqual({ items: [], total: 7, page: pages + 1, size, pages });
    }
    expect((await list({ ...owner, query: { page: 1_000_000, size: 1000 } })).items).toEqual([]);
  });

  test('refuses pages, sizes and kinds that are none, with a token and without', async () => {
    const owner = await newOwner();
    for (const options of [owner, {}]) {
      const ask = (query: Record<string, string | number>) =>
        perch.request('/api/owner/items', { ...options, query });
      for (const value of ['0', '-1', '1.5', 'x', '1e2', '99999999999999999999'])
        for (const field of ['page', 'size'])
          await expectError(await ask({ [field]: value }), 400, 'VALIDATION_FAILED', field);
      await expectError(await ask({ size: 1001 }), 400, 'VALIDATION_FAILED', 'size');
      await expectError(await ask({ page: 1_000_001 }), 400, 'VALIDATION_FAILED', 'page');
      for (const kind of ['page', 'HTML', 'html,kv', 'files'])
        await expectError(await ask({ kind }), 400, 'VALIDATION_FAILED', 'kind');
      expect((await ask({ size: '', page: ' ', kind: '' })).status).toBe(200);
    }
  });
});
