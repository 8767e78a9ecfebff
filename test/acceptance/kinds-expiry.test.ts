import { beforeAll, describe, expect, test } from 'bun:test';
import { codePath, jsonOf, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { eventually, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, type KindUnderTest, publishKind, readContent, readsOf } from './support/kinds.ts';
import { usePerch } from './support/perch.ts';

/** Until the item's time is over. */
const expiryOf = async (item: Published): Promise<void> => {
  await Bun.sleep(Math.max(0, Date.parse(item.expiresAt) - Date.now()) + 20);
};

/** A change by the owner. */
function changeOf(kind: KindUnderTest, item: Published): Array<[path: string, options: RequestOptions]> {
  if (kind.change === null) return [];
  const { at, options } = kind.change;
  const headers = { ...options.headers, ...ownedBy(item).headers };
  return [[`${itemPath(kind, item)}${at}`, { method: 'PUT', ...options, headers }]];
}

/** Addresses that only the owner reads. */
const ofOwner = (kind: KindUnderTest, item: Published): string[] =>
  kind.name === 'html' ? ['settings', 'source'].map((name) => `${itemPath(kind, item)}/${name}`) : [];

/** Long enough for what has to happen before, on a busy machine, too. All wait for it at once. */
const TTL_SECONDS = 12;

describe('before the sweep', () => {
  const perch = usePerch({
    gateways: 2,
    env: { TTL_DAY_SECONDS: String(TTL_SECONDS), SWEEP_INTERVAL_SECONDS: '600' },
  });

  for (const kind of KINDS)
    for (const ns of ['public', 'expiring']) {
      test.concurrent(`an expired item of kind ${kind.name} is not found, by nobody and nowhere (${ns})`, async () => {
        const item = await publishKind(perch, kind, 'x', { query: { ns, ttl: 1 } });
        expect(Date.parse(item.expiresAt) - Date.parse(item.createdAt)).toBe(TTL_SECONDS * 1000);
        for (const client of perch.clients) expect((await readContent(client, kind, item)).status).toBe(200);
        await expiryOf(item);
        const attempts: Array<[path: string, options?: RequestOptions]> = [
          ...readsOf(kind, item).map((path): [string] => [path]),
          ...[...readsOf(kind, item), ...ofOwner(kind, item)].map((path): [string, RequestOptions] => [
            path,
            ownedBy(item),
          ]),
          [codePath(item)],
          ...changeOf(kind, item),
          [itemPath(kind, item), { method: 'DELETE', ...ownedBy(item) }],
        ];
        for (const client of perch.clients) {
          for (const [path, options] of attempts)
            await expectError(await client.request(path, options), 404, 'NOT_FOUND');
          const list = await client.request(kind.path, { ...ownedBy(item), query: { ns } });
          expect(list.headers.get('X-Total-Count')).toBe('0');
          expect(await jsonOf<unknown[]>(list)).toEqual([]);
        }
      });

      test.concurrent(`the id of an expired item of kind ${kind.name} is free for every kind (${ns})`, async () => {
        const ids = KINDS.map(() => fresh('expired'));
        const first = await Promise.all(
          ids.map((id) => publishKind(perch, kind, 'first', { query: { ns, id, ttl: 1 } })),
        );
        for (const item of first) await readContent(perch, kind, item);
        for (const item of first) await expiryOf(item);
        for (const [n, next] of KINDS.entries()) {
          const query = { ns, id: ids[n] ?? '', ttl: 30 };
          const item = await publishKind(perch, next, 'second', { query });
          for (const [views, client] of perch.clients.entries()) {
            const response = await readContent(client, next, item);
            expect(await response.text()).toEndWith(next.bytesOf('second'));
            expect(response.headers.get('X-Views')).toBe(String(views + 1));
          }
          const stranger = { method: 'DELETE', ...ownedBy(first[n] ?? item) };
          await expectError(await perch.request(itemPath(next, item), stranger), 403, 'OWNER_TOKEN_WRONG');
        }
      });
    }

  for (const kind of KINDS.filter(({ change }) => change !== null)) {
    test.concurrent(`a change of an item of kind ${kind.name} does not postpone its expiry`, async () => {
      const item = await publishKind(perch, kind, 'x', { query: { ttl: 1 } });
      for (const [path, options] of changeOf(kind, item)) {
        const changed = await jsonOf<Published>(await perch.request(path, options));
        expect(changed.expiresAt).toBe(item.expiresAt);
      }
      await expiryOf(item);
      for (const client of perch.clients)
        await expectError(await readContent(client, kind, item), 404, 'NOT_FOUND');
    });
  }

  test.concurrent('an identical repost makes a new page', async () => {
    const page = await perch.publish('<p>repost', { query: { ttl: 1 } });
    await expiryOf(page);
    const again = await perch.post(raw('<p>repost', 'text/html', ownedBy(page)));
    expect(again.status).toBe(201);
    expect(again.headers.has('X-Existing-Resource')).toBe(false);
  });

  test.concurrent('the list of an owner has what is not over', async () => {
    const { ownerToken } = await jsonOf<Published>(
      await perch.request('/api/owner', { method: 'POST' }),
      201,
    );
    const owner = { headers: { 'X-Owner-Token': ownerToken } };
    const short = await perch.publish('<p>short', { ...owner, query: { ttl: 1 } });
    const long = await perch.publish('<p>long', { ...owner, query: { ttl: 30 } });
    await expiryOf(short);
    const list = await jsonOf<{ items: Published[]; total: number }>(
      await perch.last.request('/api/owner/items', owner),
    );
    expect([list.total, list.items.map(({ id }) => id)]).toEqual([1, [long.id]]);
  });
});

describe('after the sweep', () => {
  const perch = usePerch({
    gateways: 2,
    contents: 2,
    kvs: 2,
    env: { TTL_DAY_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' },
  });

  // The first text starts the renderer of a content process: on a busy machine, with all tests at once, that takes too long.
  beforeAll(async () => {
    const [file] = KINDS.filter(({ name }) => name === 'file');
    if (file === undefined) throw new Error('files are a kind');
    for (let n = 0; n < 6; n++) {
      await eventually(() =>
        publishKind(perch, file, 'first').then(
          () => true,
          () => false,
        ),
      );
    }
  });
  const outcomes = [
    ['public', '', 410, 'GONE'],
    ['public', 'secret', 410, 'GONE'],
    ['expiring', '', 404, 'NOT_FOUND'],
    ['expiring', 'secret', 404, 'NOT_FOUND'],
  ] as const;

  for (const kind of KINDS)
    for (const [ns, password, status, code] of outcomes) {
      const name = `an expired item of kind ${kind.name} in ${ns}${password && ' with a password'} is ${status}`;
      test.concurrent(name, async () => {
        const headers = { 'X-Password': password };
        const item = await publishKind(perch, kind, 'x', { query: { ns, ttl: 1 }, headers });
        const kept = await publishKind(perch, kind, 'kept', { query: { ns, ttl: 30 } });
        await expiryOf(item);
        const later = await publishKind(perch, kind, 'later', { query: { ttl: 1 } });
        await eventually(async () => (await readContent(perch, kind, later)).status === 410);
        for (const client of perch.clients) {
          for (const path of readsOf(kind, item)) {
            const inApi = path.startsWith('/api/');
            const [expected, reason] = inApi ? ([404, 'NOT_FOUND'] as const) : ([status, code] as const);
            for (const options of [{ headers }, {}])
              await expectError(await client.request(path, options), expected, reason);
          }
          await expectError(await client.request(codePath(item)), status, code);
          expect(await (await readContent(client, kind, kept)).text()).toEndWith(kind.bytesOf('kept'));
        }
        const successor = await publishKind(perch, kind, 'new', { query: { ns, id: item.id, ttl: 30 } });
        for (const client of perch.clients)
          expect(await (await readContent(client, kind, successor)).text()).toEndWith(kind.bytesOf('new'));
      });
    }

  test.concurrent('a namespace is used until the last of its items is swept', async () => {
    const suggestions = async (): Promise<string[]> => {
      const answer = await perch.request('/api/namespace/suggest', { query: { q: 'short lived' } });
      return (await jsonOf<{ suggestions: string[] }>(answer)).suggestions;
    };
    const item = await perch.publish('<p>short', { query: { ns: 'short-lived', ttl: 4 } });
    const isOffered = (await suggestions()).includes('short-lived');
    expect(isOffered && Date.now() < Date.parse(item.expiresAt)).toBe(false);
    await expiryOf(item);
    await eventually(async () => (await suggestions())[0] === 'short-lived');
  });
});
