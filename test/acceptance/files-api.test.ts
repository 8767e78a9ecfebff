import { describe, expect, test } from 'bun:test';
import { png } from '../hostile/bytes.ts';
import { type Address, jsonOf, ownedBy, type RequestOptions, shortPath } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { fileApiPath, NAVIGATION, type PublishedFile, publishFile, viewsOf } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const MISSING: Address = { namespace: 'public', id: 'never-was' };

const api = (file: Address, options: RequestOptions = {}) => perch.last.request(fileApiPath(file), options);
const remove = (file: Address, options: RequestOptions = {}) => api(file, { method: 'DELETE', ...options });
const list = (options: RequestOptions = {}) => perch.last.request('/api/files', options);

describe('GET /api/files/{ns}/{id}', () => {
  test('gives the bytes to everybody, with dl as a download', async () => {
    const file = await publishFile(perch, 'a.png', png());
    for (const headers of [{}, NAVIGATION]) {
      const response = await api(file, { headers });
      expect(response.headers.get('Content-Type')).toBe('image/png');
      expect(await response.bytes()).toEqual(png());
    }
    const saved = await api(file, { query: { dl: true } });
    expect(saved.headers.get('Content-Disposition')).toStartWith('attachment; filename="a.png"');
    expect(await viewsOf(perch, file)).toBe(0);
  });

  test('wants the password, or the token of the owner', async () => {
    const file = await publishFile(perch, 'a.txt', 'x', { headers: { 'X-Password': 'right' } });
    expect(file.hasPassword).toBe(true);
    await expectError(await api(file), 403, 'PASSWORD_REQUIRED');
    await expectError(await api(file, { query: { p: 'wrong' } }), 403, 'PASSWORD_WRONG');
    await expectError(await api(file, { headers: { Range: 'bytes=0-0' } }), 403, 'PASSWORD_REQUIRED');
    await expectError(await api(file, { headers: { 'If-None-Match': '*' } }), 403, 'PASSWORD_REQUIRED');
    for (const open of [{ query: { p: 'right' } }, { headers: { 'X-Password': 'right' } }, ownedBy(file)])
      expect(await (await api(file, open)).text()).toBe('x');
  });

  test('finds neither what is not there nor another kind', async () => {
    const page = await perch.publish('<p>x');
    for (const address of [MISSING, page, { namespace: 'No', id: 'x' }])
      await expectError(await api(address), 404, 'NOT_FOUND');
  });

  test('knows no PUT and no POST', async () => {
    const file = await publishFile(perch, 'a.txt', 'x');
    for (const method of ['PUT', 'POST', 'PATCH']) {
      const { message } = await expectError(
        await api(file, { method, ...ownedBy(file) }),
        405,
        'METHOD_NOT_ALLOWED',
      );
      expect([method, message.includes('remove the file, then create it again')]).toEqual([
        method,
        method === 'PUT',
      ]);
    }
  });
});

describe('DELETE /api/files/{ns}/{id}', () => {
  test('wants the token of the owner, in the header or in the query', async () => {
    const file = await publishFile(perch, 'a.txt', 'x');
    await expectError(await remove(file), 403, 'OWNER_TOKEN_REQUIRED');
    const wrong = { headers: { 'X-Owner-Token': `${file.ownerToken}x` } };
    await expectError(await remove(file, wrong), 403, 'OWNER_TOKEN_WRONG');
    await expectError(await remove(MISSING, ownedBy(file)), 404, 'NOT_FOUND');
    expect(await (await perch.read(file)).text()).toBe('x');
    const removed = await remove(file, { query: { token: file.ownerToken } });
    expect([removed.status, await removed.text()]).toEqual([204, '']);
  });

  test('leaves 410 in public and 404 elsewhere', async () => {
    for (const [ns, status, code] of [
      ['public', 410, 'GONE'],
      ['private-files', 404, 'NOT_FOUND'],
    ] as const) {
      const file = await publishFile(perch, 'a.txt', 'x', { query: { ns } });
      expect((await remove(file, ownedBy(file))).status).toBe(204);
      for (const client of perch.clients) await expectError(await client.read(file), status, code);
      await expectError(await api(file), 404, 'NOT_FOUND');
      await expectError(await remove(file, ownedBy(file)), 404, 'NOT_FOUND');
    }
  });

  test('many times at once happens once', async () => {
    const file = await publishFile(perch, 'a.txt', 'x', { query: { ns: 'contested-files' } });
    const answers = await atOnce(10, () => remove(file, ownedBy(file)));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 204: 1, 404: 9 });
  });
});

describe('GET /api/files', () => {
  interface Listed extends PublishedFile {
    size: number;
    views: number;
  }
  const idsOf = async (options: RequestOptions) =>
    (await jsonOf<Listed[]>(await list(options))).map(({ id }) => id);

  test('shows all there is to know of a file', async () => {
    const ns = fresh('listed-files');
    const options = { query: { ns, tags: 'a,b', ttl: 3, title: 'Mine' }, headers: { 'X-Password': 'p' } };
    const file = await publishFile(perch, 'größe.png', png(), options);
    await perch.read(file, { query: { p: 'p' } });
    const response = await perch.request('/api/files', { query: { ns }, ...ownedBy(file) });
    expect(response.headers.get('X-Total-Count')).toBe('1');
    const [item, ...more] = await jsonOf<Listed[]>(response);
    const { id, url, shortUrl, link, createdAt, expiresAt } = file;
    expect(item).toMatchObject({
      namespace: ns,
      id,
      url,
      shortUrl,
      link,
      title: 'Mine',
      filename: 'größe.png',
      contentType: 'image/png',
      size: png().length,
      tags: ['a', 'b'],
      hasPassword: true,
      createdAt,
      expiresAt,
      views: 1,
    });
    expect(more).toEqual([]);
    expect(Object.keys(item ?? {})).not.toContain('ownerToken');
  });

  test('is of one owner, one namespace and one kind, newest first', async () => {
    const ns = fresh('listed-files');
    const first = await publishFile(perch, 'a.txt', '0', { query: { ns } });
    const own = { query: { ns }, ...ownedBy(first) };
    const ids = [first.id];
    for (let n = 1; n < 4; n++) ids.unshift((await publishFile(perch, 'a.txt', `${n}`, own)).id);
    await publishFile(perch, 'a.txt', 'of another', { query: { ns } });
    await publishFile(perch, 'a.txt', 'elsewhere', ownedBy(first));
    await perch.publish('<p>a page', own);
    expect(await idsOf(own)).toEqual(ids);
    expect(await idsOf({ ...own, query: { ns, page: 1, size: 3 } })).toEqual(ids.slice(0, 3));
    expect(await idsOf({ ...own, query: { ns, page: 2, size: 3 } })).toEqual(ids.slice(3));
    expect(await idsOf({ ...own, query: { ns, page: 3, size: 3 } })).toEqual([]);
    expect(await idsOf({ query: { ns, token: first.ownerToken } })).toEqual(ids);
  });

  test('is empty without a token and for one that owns nothing', async () => {
    for (const options of [{}, { headers: { 'X-Owner-Token': 'somebody quite unknown' } }])
      expect(await idsOf(options)).toEqual([]);
  });

  test('refuses pages and namespaces that cannot be', async () => {
    for (const query of [{ size: 0 }, { size: 1001 }, { size: 'x' }, { page: 0 }, { page: -1 }])
      await expectError(await list({ query }), 400, 'VALIDATION_FAILED', Object.keys(query)[0]);
    await expectError(await list({ query: { ns: 'No' } }), 400, 'NAMESPACE_INVALID');
  });

  test('has every file of many created at once, and none that was removed', async () => {
    const ns = fresh('listed-files');
    const headers = { 'X-Owner-Token': 'one owner of many files' };
    const files = await atOnce(20, (n) => publishFile(perch, 'a.txt', `${n}`, { query: { ns }, headers }));
    expect((await idsOf({ query: { ns }, headers })).toSorted()).toEqual(
      files.map(({ id }) => id).toSorted(),
    );
    await Promise.all(files.slice(0, 10).map((file) => remove(file, { headers })));
    expect((await idsOf({ query: { ns }, headers })).toSorted()).toEqual(
      files
        .slice(10)
        .map(({ id }) => id)
        .toSorted(),
    );
  });
});

test('a file has nothing below its address', async () => {
  const file = await publishFile(perch, 'a.txt', 'x');
  await expectError(await perch.request(`${shortPath(file)}/below`), 404, 'NOT_FOUND');
  const slash = await perch.request(`${shortPath(file)}/`, { redirect: 'follow' });
  expect(await slash.text()).toBe('x');
});
