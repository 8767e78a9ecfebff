import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { type Address, jsonOf, ownedBy, type RequestOptions, raw, shortPath } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { createOf, itemPath, KINDS, publishKind, readsOf } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

// Clients know some addresses and parameters by other names than Perch gave them first.

test('GET /api/owner-token makes a token that owns what is created with it', async () => {
  const tokens = new Set<string>();
  for (let n = 0; n < 20; n++) {
    const response = await perch.request('/api/owner-token');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const { token, ownerId, ...rest } = await jsonOf<{ token: string; ownerId: string }>(response);
    expect([token, rest]).toEqual([expect.stringMatching(/^[A-Za-z0-9]{32}$/), {}]);
    expect(ownerId).toBe(createHash('sha256').update(token).digest('hex'));
    tokens.add(token);
  }
  expect(tokens.size).toBe(20);
  const [token = ''] = tokens;
  const page = await perch.publish('<p>mine', { headers: { 'X-Owner-Token': token } });
  expect(page.ownerToken).toBe(token);
  const removed = await perch.last.api(page, { method: 'DELETE', headers: { 'X-Owner-Token': token } });
  expect(removed.status).toBe(204);
});

describe('DELETE /api/{ns}/{id}', () => {
  const remove = ({ namespace, id }: Address, options: RequestOptions = {}, client = perch.last) =>
    client.request(`/api/${namespace}/${id}`, { method: 'DELETE', ...options });

  test.each(KINDS)('removes an item of kind $name for its owner, on every gateway', async (kind) => {
    for (const ns of ['public', 'any-kind']) {
      const item = await publishKind(perch, kind, 'x', { query: { ns } });
      const other = await publishKind(perch, kind, 'y', { query: { ns } });
      for (const path of readsOf(kind, item)) await perch.request(path);
      await expectError(await remove(item), 403, 'OWNER_TOKEN_REQUIRED');
      await expectError(await remove(item, ownedBy(other)), 403, 'OWNER_TOKEN_WRONG');
      const removed = await remove(item, ownedBy(item));
      expect([removed.status, await removed.text()]).toEqual([204, '']);
      for (const client of perch.clients) {
        const gone: [number, string] = ns === 'public' ? [410, 'GONE'] : [404, 'NOT_FOUND'];
        await expectError(await client.request(shortPath(item)), ...gone);
        await expectError(await client.request(itemPath(kind, item)), 404, 'NOT_FOUND');
      }
      await expectError(await remove(item, { query: { token: item.ownerToken } }), 404, 'NOT_FOUND');
      expect((await remove(other, { query: { token: other.ownerToken } })).status).toBe(204);
    }
  });

  test('of several at once succeeds once', async () => {
    const page = await perch.publish('<p>x', { query: { ns: 'any-kind' } });
    const answers = await atOnce(6, (n) => remove(page, ownedBy(page), n % 2 === 0 ? perch : perch.last));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 204: 1, 404: 5 });
  });

  test('works in namespaces called as addresses of the API, and not at those addresses', async () => {
    for (const ns of ['html', 'kvs', 'sites', 'owner']) {
      const page = await perch.publish('<p>x', { query: { ns, id: fresh('named') } });
      expect((await remove(page, ownedBy(page))).status).toBe(204);
    }
    for (const path of ['/api/owner/items', '/api/gallery/pages', '/api/namespace/random']) {
      const response = await perch.request(path, { method: 'DELETE' });
      expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
      await expectError(response, 405, 'METHOD_NOT_ALLOWED');
    }
    for (const path of ['/api/admin/x', '/api/stats/x', '/api/gallery/x'])
      for (const method of ['DELETE', 'GET'])
        await expectError(await perch.request(path, { method }), 404, 'NOT_FOUND');
  });

  test('knows no other method', async () => {
    const response = await perch.request('/api/public/x', { method: 'GET' });
    expect(response.headers.get('Allow')).toBe('DELETE, OPTIONS');
    await expectError(response, 405, 'METHOD_NOT_ALLOWED');
  });
});

describe('a lifetime', () => {
  test('may be called ttl, ttlDays or ttl_days, in the query and in bodies', async () => {
    for (const name of ['ttl', 'ttlDays', 'ttl_days']) {
      for (const kind of KINDS) {
        const inQuery = await publishKind(perch, kind, 'x', { query: { [name]: '3 days' } });
        expect([kind.name, name, inQuery.ttlDays]).toEqual([kind.name, name, 3]);
        await expectError(
          await createOf(perch, kind, 'x', { query: { [name]: 31 } }),
          400,
          'TTL_INVALID',
          'ttl',
        );
        if (!kind.takesFields) continue;
        const inBody = await publishKind(perch, kind, 'x', {}, { [name]: '4' });
        expect([kind.name, name, inBody.ttlDays]).toEqual([kind.name, name, 4]);
      }
      const page = await perch.publish('<p>renewed');
      const renewal = (options: RequestOptions) =>
        perch.request(`/api${shortPath(page)}/renew`, { method: 'POST', ...ownedBy(page), ...options });
      expect(await jsonOf(await renewal({ query: { [name]: 5 } }))).toMatchObject({ ttlDays: 5 });
      expect(await jsonOf(await renewal({ json: { [name]: 6 } }))).toMatchObject({ ttlDays: 6 });
    }
  });

  test('goes by the first of its names, and by the query before the body', async () => {
    const query = { ttl_days: 3, ttlDays: 4 };
    expect((await perch.publish('<p>x', { query })).ttlDays).toBe(4);
    const json = { content: '<p>x', ttl: 9 };
    expect((await perch.publish({ json, query: { ttl_days: 3 } })).ttlDays).toBe(3);
  });
});

describe('the gallery with mine=true', () => {
  interface Mine {
    items: Array<{ id: string }>;
    total: number;
    page: number;
    size: number;
    pages: number;
  }
  const owner = { headers: { 'X-Owner-Token': `token of ${crypto.randomUUID()}` } };
  const mine = async (query: RequestOptions['query'] = {}, path = '/api/gallery', options = owner) => {
    const response = await perch.last.request(path, { query: { mine: 'true', ...query }, ...options });
    expect(response.headers.get('Cache-Control')).toBe('private, no-store');
    return await jsonOf<Mine>(response);
  };
  const ids = ({ items }: Mine) => items.map(({ id }) => id);

  test('has all that the token owns, in every namespace, with and without a password', async () => {
    const made: string[] = [];
    for (const [n, kind] of KINDS.entries()) {
      for (const [ns, password] of [
        ['public', ''],
        ['mine-only', ''],
        ['public', 'secret'],
      ] as const) {
        const query = { ns, title: `Harbour ${kind.name} ${n}`, tags: `tag-${kind.name}` };
        const headers = { ...owner.headers, 'X-Password': password };
        made.unshift((await publishKind(perch, kind, `${ns} ${password}`, { query, headers })).id);
      }
    }
    await perch.publish('<p>another owner');
    const all = await mine();
    expect([all.total, ids(all)]).toEqual([made.length, made]);
    expect(ids(await mine({ page: 2, size: 4 }))).toEqual(made.slice(4, 8));
    expect((await mine({ kind: 'kv' })).total).toBe(3);
    expect((await mine({}, '/api/gallery/pages')).total).toBe(3);
    expect((await mine({}, '/api/gallery/files')).total).toBe(3);
    expect((await mine({ tag: 'tag-site' })).total).toBe(3);
    expect((await mine({ q: 'harb' })).total).toBe(made.length);
    expect((await mine({ q: 'harbour site' })).total).toBe(3);
    expect((await mine({ q: 'harbour -site', sort: 'views' })).total).toBe(made.length - 3);
    expect((await mine({ q: '!!' })).total).toBe(0);
    const [first, last] = [made[0], made.at(-1)];
    expect([first, last]).toEqual([ids(all)[0], ids(all).at(-1)]);
  });

  test('is empty without a token, and for a token that owns nothing', async () => {
    const nobody = { headers: { 'X-Owner-Token': 'a token that owns nothing' } };
    for (const options of [{ headers: { 'X-Owner-Token': '' } }, nobody])
      expect(await mine({}, '/api/gallery', options)).toEqual({
        items: [],
        total: 0,
        page: 1,
        size: 20,
        pages: 0,
      });
  });

  test('is the gallery of all with any other word', async () => {
    const response = await perch.request('/api/gallery', { query: { mine: 'false' }, ...owner });
    expect(response.headers.get('Cache-Control')).toBe('no-cache');
  });
});

test('the document has three more names', async () => {
  const document = await jsonOf(await perch.request('/docs/json'));
  for (const path of ['/api/openapi.json', '/v3/api-docs']) {
    const response = await perch.request(path);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(await jsonOf(response)).toEqual(document);
    const again = { headers: { 'If-None-Match': response.headers.get('ETag') ?? '' } };
    expect((await perch.request(path, again)).status).toBe(304);
  }
  const yaml = await perch.request('/api/openapi.yaml');
  expect(yaml.headers.get('Content-Type')).toBe('application/yaml; charset=utf-8');
  expect(Bun.YAML.parse(await yaml.text())).toEqual(document);
});

test('the sitemap is below /api, too', async () => {
  const [named, inApi] = await Promise.all(
    ['/sitemap.xml', '/api/sitemap.xml'].map((path) => perch.request(path)),
  );
  expect([inApi?.status, inApi?.headers.get('Content-Type')]).toEqual([
    200,
    'application/xml; charset=utf-8',
  ]);
  expect(await inApi?.text()).toBe((await named?.text()) ?? '');
});

describe('a create that does not take its body', () => {
  const refused = async (path: string, options: RequestOptions, status: number, code: string) => {
    const { supportedTypes } = await expectError(
      await perch.request(path, { method: 'POST', ...options }),
      status,
      code,
    );
    return supportedTypes ?? [];
  };

  test('names the types that it takes, beside a type it does not know', async () => {
    const picture = raw('x', 'image/png');
    expect(await refused('/api/html', picture, 415, 'UNSUPPORTED_MEDIA_TYPE')).toContain('text/markdown');
    expect(await refused('/api/sites', picture, 415, 'UNSUPPORTED_MEDIA_TYPE')).toContain('application/zip');
    const form = new FormData();
    form.append('file', new File(['x'], 'x.exe'));
    const response = new Response(form);
    const sent = raw(await response.bytes(), response.headers.get('content-type') ?? '');
    const types = await refused('/api/files', sent, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(types).toEqual(expect.arrayContaining(['image/png', 'text/css', 'application/pdf', 'video/mp4']));
    const encoded = { json: { a: 1 }, headers: { 'Content-Encoding': 'br' } };
    for (const path of ['/api/json', '/api/kv'])
      expect(await refused(path, encoded, 415, 'UNSUPPORTED_MEDIA_TYPE')).toEqual(['application/json']);
  });

  test('names them beside content that is refused', async () => {
    const types = await refused('/api/html', raw('a\0b', 'text/html'), 422, 'CONTENT_REJECTED');
    expect(types).toContain('text/html');
  });

  test('and no other error has them', async () => {
    const wrong = await expectError(
      await perch.post(raw('x', 'text/html', { query: { ttl: 99 } })),
      400,
      'TTL_INVALID',
    );
    expect(wrong.supportedTypes).toBeUndefined();
    const page = await perch.publish('<p>x');
    const change = await perch.api(page, { method: 'PUT', ...raw('x', 'image/png', ownedBy(page)) });
    expect((await expectError(change, 415, 'UNSUPPORTED_MEDIA_TYPE')).supportedTypes).toBeUndefined();
  });
});
