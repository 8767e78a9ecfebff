import { describe, expect, test } from 'bun:test';
import { type Address, jsonOf, ownedBy, type RequestOptions } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, publishKind, readContent } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const pathOf = ({ namespace, id }: Address): string => `/api/${namespace}/${id}/owner-check`;
const check = (item: Address, options: RequestOptions = {}, client = perch.last) =>
  client.request(pathOf(item), options);

describe.each(KINDS)('owner-check of an item of kind $name', (kind) => {
  test('tells the kind, and whether the token owns it', async () => {
    const item = await publishKind(perch, kind, 'x', { query: { ns: 'checks' } });
    const stranger = await publishKind(perch, kind, 'y');
    const answers: Array<[options: RequestOptions, owner: boolean]> = [
      [{}, false],
      [{ headers: { 'X-Owner-Token': ' ' } }, false],
      [{ query: { token: 'x' } }, false],
      [ownedBy(stranger), false],
      [ownedBy(item), true],
      [{ query: { token: item.ownerToken } }, true],
    ];
    for (const client of perch.clients)
      for (const [options, owner] of answers) {
        const response = await check(item, options, client);
        expect(response.headers.get('Cache-Control')).toBe('private, no-store');
        expect(await jsonOf(response)).toEqual({ type: kind.name, owner, isOwner: owner });
      }
  });

  test('counts no view', async () => {
    const item = await publishKind(perch, kind, 'x');
    for (let n = 0; n < 3; n++) for (const options of [{}, ownedBy(item)]) await check(item, options);
    expect((await readContent(perch, kind, item)).headers.get('X-Views')).toBe('1');
  });

  test('asks for no password', async () => {
    const item = await publishKind(perch, kind, 'x', { headers: { 'X-Password': 'right' } });
    const stranger = await publishKind(perch, kind, 'y');
    const other = { type: kind.name, owner: false, isOwner: false };
    for (const options of [{}, ownedBy(stranger), { query: { p: 'wrong' } }, { query: { p: 'right' } }])
      expect(await jsonOf(await check(item, options))).toEqual(other);
    const own = { type: kind.name, owner: true, isOwner: true };
    expect(await jsonOf(await check(item, ownedBy(item)))).toEqual(own);
  });

  test('of what is gone is 404, whoever asks', async () => {
    const item = await publishKind(perch, kind, 'x');
    await perch.request(itemPath(kind, item), { method: 'DELETE', ...ownedBy(item) });
    for (const client of perch.clients)
      for (const options of [{}, ownedBy(item)])
        await expectError(await check(item, options, client), 404, 'NOT_FOUND');
  });
});

test('of what never was, or cannot be, is 404', async () => {
  for (const item of [
    { namespace: 'public', id: 'never-was' },
    { namespace: 'NOT-ONE', id: 'x' },
    { namespace: 'no', id: 'x' },
    { namespace: 'public', id: '-not-one' },
    { namespace: 'public', id: '%00' },
  ])
    for (const options of [{}, { query: { token: 'x' } }])
      await expectError(await check(item, options), 404, 'NOT_FOUND');
});

test('knows GET, HEAD and OPTIONS', async () => {
  const item = await perch.publish('<p>checked');
  const allow = 'GET, HEAD, OPTIONS';
  const options = await check(item, { method: 'OPTIONS' });
  expect([options.status, options.headers.get('Allow')]).toEqual([204, allow]);
  const head = await check(item, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const response = await check(item, { method });
    expect(response.headers.get('Allow')).toBe(allow);
    await expectError(response, 405, 'METHOD_NOT_ALLOWED');
  }
});

test('works in namespaces named like other addresses of the API', async () => {
  for (const ns of ['owner', 'namespace', 'kv-', 'random']) {
    const item = await perch.publish('<p>named', { query: { ns, id: 'items' } });
    expect(await jsonOf(await check(item, ownedBy(item)))).toEqual({
      type: 'html',
      owner: true,
      isOwner: true,
    });
    expect((await perch.request(`/api/${ns}/items/renew`, { method: 'POST', ...ownedBy(item) })).status).toBe(
      200,
    );
    await perch.api(item, { method: 'DELETE', ...ownedBy(item) });
  }
});
