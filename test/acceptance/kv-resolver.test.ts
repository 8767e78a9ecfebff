import { describe, expect, test } from 'bun:test';
import { jsonOf, ownedBy, shortPath } from './support/client.ts';
import { atOnce, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { NAVIGATION } from './support/file-client.ts';
import {
  getKey,
  type KeyListing,
  keyPath,
  listKeys,
  publishStore,
  removeKey,
  resolveKey,
  setKey,
  shortKeyPath,
} from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

/** Values on both sides of what is kept in the cache. */
const SIZES = [10, 65_534, 65_535, 65_536, 65_537, 200_000];

describe('a key behind the short URL', () => {
  test('is the bare value, text as text and all else as JSON', async () => {
    const store = await publishStore(perch);
    const cases: Array<[value: unknown, type: string, body: string]> = [
      ['höllo\n"x"', 'text/plain; charset=utf-8', 'höllo\n"x"'],
      ['', 'text/plain; charset=utf-8', ''],
      ['{"a":1}', 'text/plain; charset=utf-8', '{"a":1}'],
      ['<script>alert(1)</script>', 'text/plain; charset=utf-8', '<script>alert(1)</script>'],
      [{ a: ['é'] }, 'application/json', '{"a":["é"]}'],
      [[1, 'x'], 'application/json', '[1,"x"]'],
      [1.5, 'application/json', '1.5'],
      [null, 'application/json', 'null'],
      [false, 'application/json', 'false'],
    ];
    for (const [value, type, body] of cases) {
      await setKey(perch, store, 'k', value);
      for (const client of perch.clients)
        for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }, NAVIGATION]) {
          const answer = await resolveKey(client, store, 'k', { headers });
          expect([answer.status, await answer.text()]).toEqual([200, body]);
          expect(answer.headers.get('Content-Type')).toBe(type);
        }
    }
  });

  for (const size of SIZES)
    test(`is whole with ${size} bytes`, async () => {
      const value = 'x'.repeat(size);
      const store = await publishStore(perch, { value });
      await setKey(perch, store, 'list', [value]);
      for (const client of perch.clients)
        for (let read = 0; read < 2; read++) {
          expect((await (await resolveKey(client, store, 'first')).text()) === value).toBe(true);
          expect((await (await resolveKey(client, store, 'list')).text()) === `["${value}"]`).toBe(true);
          expect((await getKey(client, store, 'first')).value === value).toBe(true);
        }
    });

  test('says that it may be kept only to be asked about, and runs nothing', async () => {
    const store = await publishStore(perch, { value: '<svg onload=alert(1)>' });
    for (const value of ['text', { a: 1 }]) {
      await setKey(perch, store, 'k', value);
      const { headers } = await resolveKey(perch, store, 'k');
      expect(headers.get('Cache-Control')).toBe('no-cache');
      expect(headers.get('ETag')).toMatch(/^"[^"]+"$/);
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Content-Security-Policy')).toContain('sandbox');
      expect(headers.get('Content-Security-Policy')).not.toContain('allow-same-origin');
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(headers.get('Content-Disposition')).toBeNull();
    }
  });

  test('is a download on request', async () => {
    const store = await publishStore(perch, { key: 'naïve "key"', value: 'x' });
    const answer = await resolveKey(perch, store, 'naïve "key"', { query: { dl: true } });
    expect(answer.headers.get('Content-Disposition')).toStartWith('attachment');
    expect(await answer.text()).toBe('x');
  });

  test('may have a percent sign that encodes nothing in its address', async () => {
    const store = await publishStore(perch, { key: '100% é', value: 'all' });
    for (const path of ['100%25%20%C3%A9', '100%%20%C3%A9']) {
      const answer = await perch.request(`${shortPath(store)}/${path}`);
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, 'all']);
    }
    await expectError(await perch.request(`${shortPath(store)}/%ff`), 404, 'NOT_FOUND');
  });

  test('answers HEAD as GET, without a body and without a view', async () => {
    for (const value of ['short', 'x'.repeat(70_000)]) {
      const store = await publishStore(perch, { value });
      const head = await resolveKey(perch, store, 'first', { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      const get = await resolveKey(perch, store, 'first');
      for (const name of ['ETag', 'Content-Type', 'Cache-Control', 'Content-Security-Policy'])
        expect(head.headers.get(name)).toBe(get.headers.get(name));
      expect([head.headers.get('X-Views'), get.headers.get('X-Views')]).toEqual(['0', '1']);
    }
  });

  test('is not there when it never was, with a slash too many, or in a store that is not', async () => {
    const store = await publishStore(perch);
    const path = shortPath(store);
    for (const missing of [
      `${path}/never-was`,
      `${path}/first/`,
      `${path}/first/x`,
      `${path}//first`,
      `${path}-x/first`,
    ]) {
      await expectError(await perch.request(missing), 404, 'NOT_FOUND');
      const page = await perch.request(missing, { headers: NAVIGATION });
      expect(page.status).toBe(404);
      expect(page.headers.get('Content-Type')).toStartWith('text/html');
    }
  });

  test('of a protected store wants the password, and is kept by nobody', async () => {
    const store = await publishStore(perch, { value: 'secret' }, { headers: { 'X-Password': 'right' } });
    for (const path of [shortKeyPath(store, 'first'), keyPath(store, 'first'), shortPath(store)]) {
      await expectError(await perch.request(path), 403, 'PASSWORD_REQUIRED');
      await expectError(await perch.request(path, { query: { p: 'wrong' } }), 403, 'PASSWORD_WRONG');
      for (const open of [
        { query: { p: 'right' } },
        { headers: { 'X-Password': 'right' } },
        ownedBy(store),
      ]) {
        const answer = await perch.last.request(path, open);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('Cache-Control')).toBe('private, no-store');
      }
    }
    await expectError(await resolveKey(perch, store, 'never-was'), 403, 'PASSWORD_REQUIRED');
  });
});

describe('X-Views', () => {
  test('counts reads of all keys and of the store together, and what the API reads not', async () => {
    const store = await publishStore(perch, { value: 'x'.repeat(70_000) });
    await setKey(perch, store, 'k', 1);
    let views = 0;
    for (const path of [shortKeyPath(store, 'first'), shortKeyPath(store, 'k'), shortPath(store)]) {
      const { headers } = await perch.request(path);
      expect(headers.get('X-Views')).toBe(String(++views));
    }
    await perch.request(shortPath(store), { headers: NAVIGATION });
    const etag = (await resolveKey(perch.last, store, 'k')).headers.get('ETag') ?? '';
    await resolveKey(perch.last, store, 'k', { headers: { 'If-None-Match': etag } });
    await resolveKey(perch, store, 'never-was');
    expect((await getKey(perch, store, 'k')).views).toBe(6);
    expect((await listKeys(perch.last, store)).views).toBe(6);
  });

  test('counts a hundred reads at once over all gateways exactly', async () => {
    const store = await publishStore(perch);
    await setKey(perch, store, 'long', 'x'.repeat(70_000));
    const answers = await atOnce(100, (n) =>
      resolveKey(n % 2 === 0 ? perch : perch.last, store, ['first', 'long', 'never-was'][n % 3] ?? ''),
    );
    const counted = answers.filter(({ status }) => status === 200).length;
    expect(counted).toBe(67);
    expect((await getKey(perch.last, store, 'first')).views).toBe(counted);
  });
});

describe('a store behind its short URL', () => {
  test('is its keys as JSON to programs, with views and a tag that changes with them', async () => {
    const store = await publishStore(perch, { value: 'é' });
    await setKey(perch, store, 'k', [1]);
    const { namespace, id, createdAt, expiresAt } = store;
    const answer = await perch.last.read(store);
    expect(answer.headers.get('Content-Type')).toStartWith('application/json');
    expect(answer.headers.get('Cache-Control')).toBe('no-cache');
    expect(answer.headers.get('X-Views')).toBe('1');
    const listing = await jsonOf<KeyListing>(answer);
    expect(listing).toMatchObject({ namespace, id, count: 2, createdAt, expiresAt, views: 1 });
    expect(listing.keys.sort()).toEqual(['first', 'k']);
    expect(listing.entries).toContainEqual({ key: 'k', sizeBytes: 3, updatedAt: expect.any(String) });
    expect(listing.entries).toContainEqual({ key: 'first', sizeBytes: 2, updatedAt: createdAt });
    const etag = answer.headers.get('ETag') ?? '';
    const unchanged = await perch.read(store, { headers: { 'If-None-Match': etag } });
    expect(unchanged.status).toBe(304);
    for (const change of [() => setKey(perch, store, 'k', [1]), () => removeKey(perch, store, 'k')]) {
      await change();
      expect((await perch.last.read(store, { headers: { 'If-None-Match': etag } })).status).toBe(200);
    }
  });

  test('has another tag after a renewal, and none that another store under its address had', async () => {
    const query = { id: fresh('tagged') };
    const seen: Array<string | null> = [];
    for (let round = 0; round < 2; round++) {
      const store = await publishStore(perch, {}, { query });
      await removeKey(perch, store, 'first');
      for (const ttl of [20, 30]) {
        const renewal = `/api${shortPath(store)}/renew`;
        const renewed = await perch.request(renewal, { method: 'POST', ...ownedBy(store), query: { ttl } });
        const { expiresAt } = await jsonOf<{ expiresAt: string }>(renewed);
        const known = { headers: { 'If-None-Match': seen.join(', ') } };
        const answer = await perch.last.read(store, known);
        seen.push(answer.headers.get('ETag'));
        expect(await jsonOf<KeyListing>(answer)).toMatchObject({ count: 0, expiresAt });
        expect((await perch.read(store, { headers: { 'If-None-Match': seen.at(-1) ?? '' } })).status).toBe(
          304,
        );
      }
      await perch.request(`/api/kv${shortPath(store)}`, { method: 'DELETE', ...ownedBy(store) });
    }
    expect(new Set(seen).size).toBe(4);
  });

  test('is its keys as JSON to a browser, too, that asks for the bytes or a download', async () => {
    const store = await publishStore(perch);
    const disposition = `attachment; filename="${store.id}.json"; filename*=UTF-8''${store.id}.json`;
    for (const [query, expected] of [
      [{ raw: true }, null],
      [{ dl: true }, disposition],
      [{ raw: true, dl: true }, disposition],
    ] as const)
      for (const headers of [NAVIGATION, {}]) {
        const answer = await perch.read(store, { headers, query });
        expect(answer.headers.get('Content-Disposition')).toBe(expected);
        expect((await jsonOf<KeyListing>(answer)).keys).toEqual(['first']);
      }
    for (const query of [{ raw: false }, { dl: false }]) {
      const page = await perch.read(store, { headers: NAVIGATION, query });
      expect(page.headers.get('Content-Type')).toStartWith('text/html');
    }
  });

  test('is a page to a browser, which shows markup as it is written', async () => {
    const entry = { key: '<b>bold<', value: '</td><script>alert(1)</script>' };
    const store = await publishStore(perch, entry, { query: { title: 'Build <status>' } });
    await setKey(perch, store, 'k&', 'x'.repeat(70_000));
    const page = await perch.read(store, { headers: NAVIGATION });
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('X-Views')).toBe('1');
    const html = await page.text();
    expect(html).toContain('<bdi>Build &lt;status&gt;</bdi></h1>');
    expect(html).toContain('&lt;b&gt;bold&lt;');
    expect(html).toContain('k&amp;');
    expect(html).not.toContain('<script>alert');
    expect(html).not.toContain('<b>bold');
    expect(html.length).toBeLessThan(60_000);
    const json = await perch.read(store, { headers: { Accept: 'application/json' } });
    expect((await jsonOf<KeyListing>(json)).count).toBe(2);
  });
});
