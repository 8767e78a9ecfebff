import { describe, expect, test } from 'bun:test';
import { codePath, ownedBy, type RequestOptions } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, publishKind, readContent, readsOf } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const OUTCOMES = [
  ['public', '', 410, 'GONE'],
  ['public', 'secret', 410, 'GONE'],
  ['removals', '', 404, 'NOT_FOUND'],
  ['removals', 'secret', 404, 'NOT_FOUND'],
] as const;

describe.each(KINDS)('a delete of an item of kind $name', (kind) => {
  const remove = (item: Parameters<typeof itemPath>[1], options: RequestOptions, client = perch.last) =>
    client.request(itemPath(kind, item), { method: 'DELETE', ...options });

  for (const [ns, password, status, code] of OUTCOMES) {
    test(`leaves ${status} in ${ns}${password && ' also with a password'}, and 404 in the API`, async () => {
      const item = await publishKind(perch, kind, 'x', {
        query: { ns },
        headers: { 'X-Password': password },
      });
      for (const client of perch.clients)
        expect((await readContent(client, kind, item, ownedBy(item))).status).toBe(200);
      const removed = await remove(item, ownedBy(item));
      expect([removed.status, await removed.text()]).toEqual([204, '']);
      for (const client of perch.clients)
        for (const options of [{}, ownedBy(item), { headers: { 'X-Password': password } }]) {
          for (const path of readsOf(kind, item)) {
            const inApi = path.startsWith('/api/');
            const [expected, reason] = inApi ? ([404, 'NOT_FOUND'] as const) : ([status, code] as const);
            await expectError(await client.request(path, options), expected, reason);
            expect((await client.request(path, { ...options, method: 'HEAD' })).status).toBe(expected);
          }
          await expectError(await client.request(codePath(item), options), status, code);
          await expectError(await remove(item, options, client), 404, 'NOT_FOUND');
        }
      if (kind.change === null) return;
      const { at, options } = kind.change;
      const headers = { ...options.headers, ...ownedBy(item).headers };
      const put = await perch.request(`${itemPath(kind, item)}${at}`, { method: 'PUT', ...options, headers });
      await expectError(put, 404, 'NOT_FOUND');
    });
  }

  test('is for its owner only', async () => {
    const item = await publishKind(perch, kind, 'x', { headers: { 'X-Password': 'right' } });
    const stranger = await publishKind(perch, kind, 'y');
    for (const options of [{}, { headers: { 'X-Owner-Token': ' ' } }, { headers: { 'X-Password': 'right' } }])
      await expectError(await remove(item, options), 403, 'OWNER_TOKEN_REQUIRED');
    for (const options of [ownedBy(stranger), { query: { token: 'x' } }])
      await expectError(await remove(item, options), 403, 'OWNER_TOKEN_WRONG');
    expect((await readContent(perch, kind, item, { query: { p: 'right' } })).status).toBe(200);
    expect((await remove(item, { query: { token: item.ownerToken } })).status).toBe(204);
  });

  test('of what never was is 404', async () => {
    const item = await publishKind(perch, kind, 'x');
    for (const missing of [
      { namespace: 'public', id: 'never-was' },
      { namespace: 'never-was', id: item.id },
      { namespace: 'NOT-ONE', id: item.id },
      { namespace: 'public', id: '-not-one' },
    ])
      for (const options of [{}, ownedBy(item)])
        await expectError(await remove(missing, options), 404, 'NOT_FOUND');
  });

  test('ten times at once succeeds once', async () => {
    const item = await publishKind(perch, kind, 'x');
    const answers = await atOnce(10, (n) => remove(item, ownedBy(item), n % 2 === 0 ? perch : perch.last));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 204: 1, 404: 9 });
    for (const client of perch.clients) await expectError(await readContent(client, kind, item), 410, 'GONE');
  });

  test('while others read it shows it whole or not at all', async () => {
    const item = await publishKind(perch, kind, 'whole');
    const [removed, ...reads] = await Promise.all([
      remove(item, ownedBy(item)),
      ...Array.from({ length: 30 }, (_, n) => readContent(n % 2 === 0 ? perch : perch.last, kind, item)),
    ]);
    expect(removed.status).toBe(204);
    for (const response of reads) {
      if (response.status === 200) expect(await response.text()).toEndWith(kind.bytesOf('whole'));
      else await expectError(response, 410, 'GONE');
    }
  });
});
