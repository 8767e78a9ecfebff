import { describe, expect, test } from 'bun:test';
import { jsonOf, ownedBy, type Published } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, type KindUnderTest, publishKind, readsOf } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** Every address of a kind, and the methods that it knows. */
function addressesOf(kind: KindUnderTest, item: Published): Array<[path: string, methods: string[]]> {
  const own = itemPath(kind, item);
  const read = ['GET', 'HEAD', 'OPTIONS'];
  const list = [...read, 'POST'];
  const changed = ['DELETE', ...read, 'PUT'];
  const short: Array<[string, string[]]> = [
    [`/public/${item.id}`, read],
    [new URL(item.shortUrl).pathname, read],
  ];
  switch (kind.name) {
    case 'html':
      return [
        ...short,
        [kind.path, list],
        [own, changed],
        [`${own}/settings`, read],
        [`${own}/source`, read],
      ];
    case 'json':
      return [...short, [kind.path, list], [own, changed]];
    case 'file':
      return [...short, [kind.path, list], [own, ['DELETE', ...read]]];
    case 'kv':
      return [
        ...[...short, [`/public/${item.id}/greeting`, read] as [string, string[]]],
        ...([
          [kind.path, list],
          [own, ['DELETE', ...read]],
          [`${own}/greeting`, changed],
        ] satisfies Array<[string, string[]]>),
      ];
    case 'site':
      return [
        ...[...short, [`/public/${item.id}/index.html`, read] as [string, string[]]],
        ...([
          [kind.path, list],
          [own, changed],
          [`${own}/files/index.html`, read],
        ] satisfies Array<[string, string[]]>),
      ];
  }
}

const allowOf = (response: Response): string[] =>
  (response.headers.get('Allow') ?? '').split(/,\s*/).filter(Boolean).sort();

describe.each(KINDS)('an address of kind $name', (kind) => {
  test('names its methods to OPTIONS', async () => {
    const item = await publishKind(perch, kind, 'x');
    for (const [path, methods] of addressesOf(kind, item)) {
      const response = await perch.request(path, { method: 'OPTIONS' });
      expect([path, response.status, await response.text()]).toEqual([path, 204, '']);
      expect([path, allowOf(response)]).toEqual([path, methods.toSorted()]);
    }
  });

  test('answers a preflight for every method and header that is used', async () => {
    const item = await publishKind(perch, kind, 'x');
    for (const [path, methods] of addressesOf(kind, item)) {
      for (const method of methods) {
        const response = await perch.request(path, {
          method: 'OPTIONS',
          headers: {
            Origin: 'https://elsewhere.example',
            'Access-Control-Request-Method': method,
            'Access-Control-Request-Headers':
              'x-owner-token, x-password, content-type, idempotency-key, if-match, if-none-match, range',
          },
        });
        expect([path, response.status]).toEqual([path, 204]);
        expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
        expect(response.headers.get('Access-Control-Allow-Methods')).toContain(method);
        const headers = (response.headers.get('Access-Control-Allow-Headers') ?? '').toLowerCase();
        for (const name of ['x-owner-token', 'x-password', 'content-type', 'idempotency-key', 'if-match'])
          expect(headers).toContain(name);
      }
    }
  });

  test('refuses other methods with 405 and changes nothing', async () => {
    const item = await publishKind(perch, kind, 'x');
    for (const [path, methods] of addressesOf(kind, item)) {
      for (const method of METHODS.filter((name) => !methods.includes(name))) {
        const response = await perch.request(path, { method, ...ownedBy(item) });
        expect([path, method, allowOf(response)]).toEqual([path, method, methods.toSorted()]);
        await expectError(response, 405, 'METHOD_NOT_ALLOWED');
      }
    }
    for (const path of readsOf(kind, item)) expect((await perch.request(path)).status).toBe(200);
  });

  test('answers HEAD as GET, without a body', async () => {
    const item = await publishKind(perch, kind, 'x');
    const paths = [kind.path, ...readsOf(kind, item), new URL(item.shortUrl).pathname];
    for (const path of paths) {
      const get = await perch.request(path, ownedBy(item));
      const head = await perch.request(path, { method: 'HEAD', ...ownedBy(item) });
      expect([path, head.status, await head.text()]).toEqual([path, get.status, '']);
      for (const name of [
        'Content-Type',
        'ETag',
        'Cache-Control',
        'Location',
        'Accept-Ranges',
        'X-Total-Count',
      ])
        expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
    }
    for (const path of [itemPath(kind, { namespace: 'public', id: 'never-was' }), '/public/never-was']) {
      const head = await perch.request(path, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([404, '']);
    }
  });

  test('shows its headers to scripts elsewhere', async () => {
    const item = await publishKind(perch, kind, 'x');
    for (const path of readsOf(kind, item)) {
      const { headers } = await perch.request(path, { headers: { Origin: 'https://elsewhere.example' } });
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
      const exposed = (headers.get('Access-Control-Expose-Headers') ?? '').toLowerCase();
      for (const name of ['x-views', 'etag', 'x-request-id']) expect(exposed).toContain(name);
      expect(headers.has('Access-Control-Allow-Credentials')).toBe(false);
    }
  });

  test('is the same with a slash at its end, where it is a list', async () => {
    const item = await publishKind(perch, kind, 'x');
    const listed = await perch.request(`${kind.path}/`, ownedBy(item));
    expect((await jsonOf<Array<{ id: string }>>(listed)).map(({ id }) => id)).toEqual([item.id]);
  });
});
