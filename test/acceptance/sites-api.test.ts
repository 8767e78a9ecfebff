import { describe, expect, test } from 'bun:test';
import { type Address, jsonOf, ownedBy, type RequestOptions } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { viewsOf } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';
import {
  type PublishedSite,
  publishSite,
  readSite,
  recordOf,
  type SiteRecord,
  siteApiPath,
} from './support/site-client.ts';

const perch = sharePerch();

const MISSING: Address = { namespace: 'public', id: 'never-was' };
const FILES = { 'index.html': '<p>Hello.', 'css/größe 🐦.css': 'p {}', 'a+b/100%.txt': 'x' };

const api = (site: Address, options: RequestOptions = {}) => perch.last.request(siteApiPath(site), options);
const remove = (site: Address, options: RequestOptions = {}) => api(site, { method: 'DELETE', ...options });
const fileOf = (site: Address, path: string, options: RequestOptions = {}) =>
  perch.last.request(`${siteApiPath(site)}/files/${path}`, options);
const list = (options: RequestOptions = {}) => perch.last.request('/api/sites', options);
const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

describe('GET /api/sites/{ns}/{id}', () => {
  test('tells all there is to know', async () => {
    const query = { ns: 'recorded', tags: 'b,a', ttl: 4, title: 'Mine' };
    const site = await publishSite(perch, FILES, { query });
    await readSite(perch, site, '');
    const { namespace, id, url, shortUrl, entryFile, fileCount, totalSizeBytes, createdAt, expiresAt } = site;
    const record = await recordOf(perch, site);
    expect(record).toMatchObject({
      namespace,
      id,
      url,
      shortUrl,
      entryFile,
      fileCount,
      totalSizeBytes,
      title: 'Mine',
      tags: ['b', 'a'],
      hasPassword: false,
      createdAt,
      updatedAt: createdAt,
      expiresAt,
      views: 1,
    });
    expect([entryFile, fileCount, totalSizeBytes]).toEqual(['index.html', 3, 14]);
    expect(record.files).toEqual([
      { path: 'a+b/100%.txt', contentType: 'text/plain; charset=utf-8', sizeBytes: 1 },
      { path: 'css/größe 🐦.css', contentType: 'text/css; charset=utf-8', sizeBytes: 4 },
      { path: 'index.html', contentType: 'text/html; charset=utf-8', sizeBytes: 9 },
    ]);
    expect(Object.keys(record)).not.toContain('ownerToken');
    expect(await viewsOf(perch, site)).toBe(1);
  });

  test('is for the owner, whether the site has a password or not', async () => {
    const other = await publishSite(perch, FILES);
    for (const headers of [{}, { 'X-Password': 'right' }]) {
      const site = await publishSite(perch, FILES, { headers });
      for (const options of [{ headers }, { query: { p: 'right' } }])
        await expectError(await api(site, options), 403, 'OWNER_TOKEN_REQUIRED');
      await expectError(await api(site, ownedBy(other)), 403, 'OWNER_TOKEN_WRONG');
      for (const options of [ownedBy(site), { query: { token: site.ownerToken } }]) {
        const response = await api(site, options);
        expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'private, no-store']);
      }
    }
  });

  test('leaves the files to who has the password, or the token of the owner', async () => {
    const open = { headers: { 'X-Password': 'right' } };
    const site = await publishSite(perch, FILES, open);
    const read = (options?: RequestOptions) => fileOf(site, 'index.html', options);
    await expectError(await read(), 403, 'PASSWORD_REQUIRED');
    await expectError(await read({ query: { p: 'wrong' } }), 403, 'PASSWORD_WRONG');
    for (const options of [open, { query: { p: 'right' } }, ownedBy(site)]) {
      const response = await read(options);
      expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'private, no-store']);
    }
  });

  test('finds neither what is not there nor another kind', async () => {
    for (const address of [MISSING, await perch.publish('<p>x'), { namespace: 'No', id: 'x' }]) {
      await expectError(await api(address), 404, 'NOT_FOUND');
      await expectError(await fileOf(address, 'index.html'), 404, 'NOT_FOUND');
    }
    await expectError(await api(MISSING, { method: 'POST' }), 405, 'METHOD_NOT_ALLOWED');
  });
});

describe('GET /api/sites/{ns}/{id}/files/{path}', () => {
  test('gives each file by its path', async () => {
    const site = await publishSite(perch, FILES);
    for (const [path, content] of Object.entries(FILES))
      expect(await (await fileOf(site, encodePath(path))).text()).toBe(content);
    const saved = await fileOf(site, encodePath('a+b/100%.txt'), { query: { dl: true } });
    expect(saved.headers.get('Content-Disposition')).toStartWith('attachment;');
    expect(await viewsOf(perch, site)).toBe(0);
  });

  test('knows neither folders nor an error page', async () => {
    const site = await publishSite(perch, { ...FILES, '404.html': 'none', 'd/index.html': 'd' });
    for (const path of [
      'missing',
      'css',
      'd',
      'd/',
      '',
      'INDEX.html',
      '..%2findex.html',
      '%00',
      'a%2Bb',
      '%',
      '%ff',
    ])
      await expectError(await fileOf(site, path), 404, 'NOT_FOUND');
  });
});

describe('DELETE /api/sites/{ns}/{id}', () => {
  test('wants the token of the owner', async () => {
    const site = await publishSite(perch, FILES);
    await expectError(await remove(site), 403, 'OWNER_TOKEN_REQUIRED');
    const wrong = { headers: { 'X-Owner-Token': 'somebody else entirely' } };
    await expectError(await remove(site, wrong), 403, 'OWNER_TOKEN_WRONG');
    expect((await readSite(perch, site, '')).status).toBe(200);
    const removed = await remove(site, { query: { token: site.ownerToken } });
    expect([removed.status, await removed.text()]).toEqual([204, '']);
  });

  test('removes every file, and leaves 410 in public and 404 elsewhere', async () => {
    for (const [ns, status, code] of [
      ['public', 410, 'GONE'],
      ['removed-sites', 404, 'NOT_FOUND'],
    ] as const) {
      const site = await publishSite(perch, FILES, { query: { ns } });
      for (const path of ['', 'index.html']) await (await readSite(perch, site, path)).text();
      expect((await remove(site, ownedBy(site))).status).toBe(204);
      for (const client of perch.clients)
        for (const path of ['', 'index.html', 'missing'])
          await expectError(await readSite(client, site, path), status, code);
      await expectError(await api(site), 404, 'NOT_FOUND');
      await expectError(await fileOf(site, 'index.html'), 404, 'NOT_FOUND');
    }
  });

  test('many times at once happens once', async () => {
    const site = await publishSite(perch, FILES, { query: { ns: 'contested-removal' } });
    const answers = await atOnce(8, () => remove(site, ownedBy(site)));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 204: 1, 404: 7 });
  });
});

describe('GET /api/sites', () => {
  const idsOf = async (options: RequestOptions) =>
    (await jsonOf<SiteRecord[]>(await list(options))).map(({ id }) => id);

  test('shows what each site is', async () => {
    const ns = fresh('listed-sites');
    const site = await publishSite(perch, FILES, { query: { ns, tags: 'a', p: 'right' } });
    const response = await perch.request('/api/sites', { query: { ns }, ...ownedBy(site) });
    expect(response.headers.get('X-Total-Count')).toBe('1');
    const { id, url, shortUrl, link, createdAt, expiresAt, entryFile, fileCount, totalSizeBytes } = site;
    const [item] = await jsonOf<SiteRecord[]>(response);
    expect(item).toMatchObject({
      namespace: ns,
      id,
      url,
      shortUrl,
      link,
      entryFile,
      fileCount,
      totalSizeBytes,
      tags: ['a'],
      hasPassword: true,
      createdAt,
      expiresAt,
      views: 0,
    });
    expect(Object.keys(item ?? {})).not.toContain('ownerToken');
  });

  test('is of one owner, one namespace and one kind, newest first, in pages', async () => {
    const ns = fresh('listed-sites');
    const first = await publishSite(perch, FILES, { query: { ns } });
    const own = { query: { ns }, ...ownedBy(first) };
    const ids = [first.id];
    for (let n = 1; n < 4; n++) ids.unshift((await publishSite(perch, FILES, own)).id);
    await publishSite(perch, FILES, { query: { ns } });
    await perch.publish('<p>a page', own);
    expect(await idsOf(own)).toEqual(ids);
    expect(await idsOf({ ...own, query: { ns, page: 2, size: 3 } })).toEqual(ids.slice(3));
    expect(await idsOf({ query: { ns } })).toEqual([]);
    await expectError(await list({ query: { size: 1001 } }), 400, 'VALIDATION_FAILED', 'size');
  });

  test('has every site of many created at once', async () => {
    const ns = fresh('listed-sites');
    const headers = { 'X-Owner-Token': 'one owner of many sites' };
    const sites = await atOnce(10, () => publishSite(perch, FILES, { query: { ns }, headers }));
    const ids = (some: PublishedSite[]) => some.map(({ id }) => id).toSorted();
    expect((await idsOf({ query: { ns }, headers })).toSorted()).toEqual(ids(sites));
    await Promise.all(sites.slice(0, 5).map((site) => remove(site, { headers })));
    expect((await idsOf({ query: { ns }, headers })).toSorted()).toEqual(ids(sites.slice(5)));
  });
});
