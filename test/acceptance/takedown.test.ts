import { describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { type Address, codePath, jsonOf, ownedBy, type RequestOptions } from './support/client.ts';
import { atOnce, eventually, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, publishKind, readContent, readsOf } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const ADMIN = { headers: { 'X-Admin-Password': ADMIN_PASSWORD } };
const pathOf = ({ namespace, id }: Address): string => `/api/admin/items/${namespace}/${id}`;

const takeDown = (item: Address, options: RequestOptions = ADMIN, client = perch.last) =>
  client.request(pathOf(item), { method: 'DELETE', ...options });

const OUTCOMES = [
  ['public', '', 410, 'GONE'],
  ['takedowns', 'secret', 404, 'NOT_FOUND'],
] as const;

describe.each(KINDS)('a takedown of an item of kind $name', (kind) => {
  for (const [ns, password, status, code] of OUTCOMES) {
    test(`leaves ${status} in ${ns}, and nothing for its owner`, async () => {
      const query = { ns, id: fresh('taken') };
      const item = await publishKind(perch, kind, 'x', { query, headers: { 'X-Password': password } });
      for (const client of perch.clients)
        expect((await readContent(client, kind, item, ownedBy(item))).status).toBe(200);
      const taken = await takeDown(item);
      expect([taken.status, await taken.text(), taken.headers.get('Cache-Control')]).toEqual([
        204,
        '',
        'no-store',
      ]);
      for (const client of perch.clients) {
        for (const path of readsOf(kind, item)) {
          const inApi = path.startsWith('/api/');
          const [expected, reason] = inApi ? ([404, 'NOT_FOUND'] as const) : ([status, code] as const);
          for (const options of [{}, ownedBy(item)])
            await expectError(await client.request(path, options), expected, reason);
        }
        await expectError(await client.request(codePath(item)), status, code);
        const removal = { method: 'DELETE', ...ownedBy(item) };
        await expectError(await client.request(itemPath(kind, item), removal), 404, 'NOT_FOUND');
        await expectError(await takeDown(item, ADMIN, client), 404, 'NOT_FOUND');
        const list = await client.request('/api/owner/items', ownedBy(item));
        expect(await jsonOf(list)).toMatchObject({ total: 0 });
      }
      const next = await publishKind(perch, kind, 'next', { query });
      for (const [n, client] of perch.clients.entries()) {
        const response = await readContent(client, kind, next);
        expect(await response.text()).toEndWith(kind.bytesOf('next'));
        expect(response.headers.get('X-Views')).toBe(String(n + 1));
      }
    });
  }

  test('is for the operator only', async () => {
    const item = await publishKind(perch, kind, 'x');
    for (const headers of [
      {},
      ownedBy(item).headers,
      { 'X-Admin-Password': '' },
      { 'X-Password': ADMIN_PASSWORD },
    ])
      for (const named of [item, { namespace: 'public', id: 'never-was' }])
        await expectError(await takeDown(named, { headers }), 401, 'ADMIN_UNAUTHORIZED');
    expect((await readContent(perch, kind, item)).status).toBe(200);
  });

  test('ten times at once, some by its owner, succeeds once', async () => {
    const item = await publishKind(perch, kind, 'x');
    const answers = await atOnce(10, (n) => {
      const client = n % 2 === 0 ? perch : perch.last;
      if (n % 5 > 0) return takeDown(item, ADMIN, client);
      return client.request(itemPath(kind, item), { method: 'DELETE', ...ownedBy(item) });
    });
    expect(tally(answers.map(({ status }) => status))).toEqual({ 204: 1, 404: 9 });
    for (const client of perch.clients) await expectError(await readContent(client, kind, item), 410, 'GONE');
  });
});

test('the log says who took down what', async () => {
  const item = await perch.publish('<p>bad');
  const response = await takeDown(item);
  const requestId = response.headers.get('X-Request-Id');
  const { logFiles } = perch.instance;
  const found = async () => {
    const lines = (await Promise.all(logFiles.map((file) => readFile(file, 'utf8')))).join('\n').split('\n');
    return lines.filter((line) => line.includes('an item was taken down') && line.includes(`${requestId}`));
  };
  await eventually(async () => (await found()).length > 0);
  const lines = await found();
  expect(lines).toHaveLength(1);
  const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  expect(line).toMatchObject({ requestId, item: `${item.namespace}/${item.id}`, kind: 'html' });
  expect(line.clientIp).toMatch(/127\.0\.0\.1|::1/);
  expect(lines[0]).not.toContain(ADMIN_PASSWORD);
});

test('of what never was, or cannot be, is 404', async () => {
  for (const item of [
    { namespace: 'public', id: 'never-was' },
    { namespace: 'NOT-ONE', id: 'x' },
    { namespace: 'public', id: '-not-one' },
    { namespace: 'public', id: '%00' },
  ])
    await expectError(await takeDown(item), 404, 'NOT_FOUND');
});

test('is the only thing its address can do', async () => {
  const item = await perch.publish('<p>kept');
  const options = await perch.request(pathOf(item), { method: 'OPTIONS' });
  expect([options.status, options.headers.get('Allow')]).toEqual([204, 'DELETE, OPTIONS']);
  for (const method of ['GET', 'POST', 'PUT', 'PATCH'])
    await expectError(await perch.request(pathOf(item), { method, ...ADMIN }), 405, 'METHOD_NOT_ALLOWED');
  expect((await perch.read(item)).status).toBe(200);
});
