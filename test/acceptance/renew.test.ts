import { describe, expect, test } from 'bun:test';
import {
  type Address,
  type Client,
  jsonOf,
  ownedBy,
  type Published,
  type RequestOptions,
} from './support/client.ts';
import { atOnce, eventually, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, publishKind, readContent } from './support/kinds.ts';
import { publishStore, resolveKey, setKey } from './support/kv-client.ts';
import { sharePerch, usePerch } from './support/perch.ts';

interface Renewed {
  expiresAt: string;
  ttlDays: number;
}

const DAY_MS = 86_400_000;

const renew = (client: Client, { namespace, id }: Address, options: RequestOptions = {}) =>
  client.request(`/api/${namespace}/${id}/renew`, { method: 'POST', ...options });

const renewed = async (client: Client, item: Published, ttl: number | string) =>
  await jsonOf<Renewed>(await renew(client, item, { ...ownedBy(item), query: { ttl } }));

/** When an item ends, as the database has it. */
async function endOf(client: Client, item: Published): Promise<Renewed> {
  const list = await client.request('/api/owner/items', { ...ownedBy(item), query: { size: 1000 } });
  const { items } = await jsonOf<{ items: Array<Address & Renewed> }>(list);
  const found = items.find(({ namespace, id }) => namespace === item.namespace && id === item.id);
  if (found === undefined) throw new Error('the item is not there');
  return { expiresAt: found.expiresAt, ttlDays: found.ttlDays };
}

/** When it is `days` from now, within the time that the requests around it took. */
function expectDaysFrom(start: number, { expiresAt }: Renewed, days: number): void {
  expect(Date.parse(expiresAt)).toBeWithin(start + days * DAY_MS - 5_000, Date.now() + days * DAY_MS + 5_001);
}

describe('POST /api/{ns}/{id}/renew', () => {
  const perch = sharePerch();

  for (const kind of KINDS) {
    test.concurrent(`counts the life of an item of kind ${kind.name} anew, and changes nothing else`, async () => {
      const item = await publishKind(perch, kind, 'kept', {
        query: { ns: 'renewals', ttl: 5, title: 'Kept', tags: 'a,b' },
        headers: { 'X-Password': 'right' },
      });
      for (const client of perch.clients)
        expect((await readContent(client, kind, item, ownedBy(item))).status).toBe(200);
      const before = await owned(item);
      const start = Date.now();
      for (const [client, ttl] of [
        [perch, 30],
        [perch.last, 1],
      ] as const) {
        const answer = await renewed(client, item, ttl);
        expect(Object.keys(answer).sort()).toEqual(['expiresAt', 'ttlDays']);
        expect(answer.ttlDays).toBe(ttl);
        expectDaysFrom(start, answer, ttl);
        expect(await owned(item)).toEqual({ ...before, ...answer });
      }
      const { views } = before as { views: number };
      const read = await readContent(perch.last, kind, item, ownedBy(item));
      expect(await read.text()).toEndWith(kind.bytesOf('kept'));
      expect(read.headers.get('X-Views')).toBe(String(views + 1));
      await expectError(await readContent(perch, kind, item), 403, 'PASSWORD_REQUIRED');
    });

    test.concurrent(`is for the owner of an item of kind ${kind.name} only`, async () => {
      const headers = { 'X-Password': 'right' };
      const item = await publishKind(perch, kind, 'x', { headers, query: { ttl: 3 } });
      const stranger = await publishKind(perch, kind, 'y');
      for (const options of [
        {},
        { headers },
        { headers: { 'X-Owner-Token': ' ' } },
        { query: { token: '' } },
      ])
        await expectError(await renew(perch, item, options), 403, 'OWNER_TOKEN_REQUIRED');
      for (const options of [ownedBy(stranger), { query: { token: 'x' } }])
        await expectError(await renew(perch, item, options), 403, 'OWNER_TOKEN_WRONG');
      expect((await endOf(perch, item)).expiresAt).toBe(item.expiresAt);
      const query = { token: item.ownerToken, ttl: 4 };
      expect((await jsonOf<Renewed>(await renew(perch, item, { query }))).ttlDays).toBe(4);
    });

    test.concurrent(`of what is no more of kind ${kind.name} is 404`, async () => {
      const item = await publishKind(perch, kind, 'x');
      await perch.request(itemPath(kind, item), { method: 'DELETE', ...ownedBy(item) });
      for (const client of perch.clients)
        for (const options of [{}, ownedBy(item)])
          await expectError(await renew(client, item, options), 404, 'NOT_FOUND');
    });

    test.concurrent(`ten times at once leaves kind ${kind.name} with the end of one of them, everywhere`, async () => {
      const item = await publishKind(perch, kind, 'x');
      for (const client of perch.clients) await readContent(client, kind, item);
      const answers = await atOnce(10, (n) => renewed(n % 2 === 0 ? perch : perch.last, item, n + 1));
      const end = await endOf(perch, item);
      expect(answers).toContainEqual(end);
      // Stores and sites tell the end that the cache knows.
      if (kind.name !== 'kv' && kind.name !== 'site') return;
      for (const client of perch.clients) {
        const { expiresAt } = await jsonOf<Renewed>(
          await client.request(itemPath(kind, item), ownedBy(item)),
        );
        expect(expiresAt).toBe(end.expiresAt);
      }
    });
  }

  async function owned(item: Published): Promise<object> {
    const { items } = await jsonOf<{ items: Array<Address> }>(
      await perch.request('/api/owner/items', ownedBy(item)),
    );
    expect(items).toHaveLength(1);
    return items[0] ?? {};
  }

  const [html] = KINDS;
  const publish = (ttl: number) => {
    if (html === undefined) throw new Error('there are kinds');
    return publishKind(perch, html, fresh('renewed'), { query: { ttl } });
  };

  test('takes every form of a time to live, in the query or the body; the query wins', async () => {
    const item = await publish(7);
    const ask = async (options: RequestOptions) =>
      (await jsonOf<Renewed>(await renew(perch, item, { ...ownedBy(item), ...options }))).ttlDays;
    for (const [ttl, days] of [
      ...[['1', 1] as const, ['30', 30] as const, ['1d', 1] as const, ['30D', 30] as const],
      ...[['1 day', 1] as const, [' 12 Days ', 12] as const],
    ]) {
      expect(await ask({ query: { ttl } })).toBe(days);
      expect(await ask({ query: { ttlDays: ttl } })).toBe(days);
      expect(await ask({ json: { ttl } })).toBe(days);
      expect(await ask({ json: { ttlDays: days } })).toBe(days);
    }
    expect(await ask({ query: { ttl: 5 }, json: { ttl: 6 } })).toBe(5);
  });

  test('without one gives as many days as the item was given last', async () => {
    const item = await publish(7);
    const start = Date.now();
    const ask = async (options: RequestOptions) =>
      await jsonOf<Renewed>(await renew(perch, item, { ...ownedBy(item), ...options }));
    for (const options of [{}, { query: { ttl: '' } }, { json: {} }, { json: { ttl: null } }, { body: '' }]) {
      const answer = await ask(options);
      expect(answer.ttlDays).toBe(7);
      expectDaysFrom(start, answer, 7);
    }
    await renewed(perch, item, 9);
    expect((await ask({})).ttlDays).toBe(9);
  });

  test('refuses other times and bodies, and leaves the item as it was', async () => {
    const item = await publish(7);
    const owner = ownedBy(item);
    for (const ttl of ['0', '31', '-1', '1.5', 'x', '1e1', '7 weeks', '030d0', '999'])
      for (const options of [{ query: { ttl } }, { json: { ttl } }])
        await expectError(
          await renew(perch, item, { ...owner, ...options }),
          ...([400, 'TTL_INVALID', 'ttl'] as const),
        );
    for (const ttl of [0, 31, 1.5, true, [], {}])
      await expectError(await renew(perch, item, { ...owner, json: { ttl } }), 400, 'TTL_INVALID', 'ttl');
    for (const body of ['{', '[]', '"7"', '7', 'ttl=7'])
      await expectError(await renew(perch, item, { ...owner, body }), 400, 'JSON_INVALID');
    const filler = (characters: number) => ({ ...owner, json: { ttl: 3, filler: 'x'.repeat(characters) } });
    const rest = JSON.stringify({ ttl: 3, filler: '' }).length;
    await expectError(await renew(perch, item, filler(4_097 - rest)), 400, 'VALIDATION_FAILED', 'body');
    expect(await endOf(perch, item)).toEqual({ expiresAt: item.expiresAt, ttlDays: 7 });
    expect((await renew(perch, item, filler(4_096 - rest))).status).toBe(200);
  });

  test('of what never was is 404, also for a wrong time', async () => {
    for (const item of [
      { namespace: 'public', id: 'never-was' },
      { namespace: 'never-was', id: 'x' },
      { namespace: 'NOT-ONE', id: 'x' },
      { namespace: 'public', id: '-not-one' },
    ])
      await expectError(await renew(perch, item, { query: { ttl: 99, token: 'x' } }), 404, 'NOT_FOUND');
  });

  test('is the only thing its address can do', async () => {
    const item = await publish(7);
    const path = `/api/${item.namespace}/${item.id}/renew`;
    const options = await perch.request(path, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('Allow')]).toEqual([204, 'OPTIONS, POST']);
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const response = await perch.request(path, { method });
      expect(response.headers.get('Allow')).toBe('OPTIONS, POST');
      await expectError(response, 405, 'METHOD_NOT_ALLOWED');
    }
    expect((await perch.request(path, { method: 'HEAD' })).status).toBe(405);
  });

  test('the top bar of a page and of a text shows the new end', async () => {
    const seen = async (item: Published) => {
      const headers = { Accept: 'text/html', 'Sec-Fetch-Dest': 'document' };
      return await (await perch.request(`/${item.namespace}/${item.id}`, { headers })).text();
    };
    for (const kind of KINDS.filter(({ name }) => name === 'html' || name === 'file')) {
      const query = kind.name === 'html' ? { showTopBar: true } : {};
      const item = await publishKind(perch, kind, 'with a bar', { query });
      expect(await seen(item)).toContain(item.expiresAt);
      const { expiresAt } = await renewed(perch, item, 30);
      expect(await seen(item)).toContain(expiresAt);
    }
  });
});

describe('a renewed item', () => {
  const perch = usePerch({ gateways: 2, contents: 2, kvs: 2, env: { TTL_DAY_SECONDS: '12' } });

  const until = async (moment: string): Promise<void> => {
    await Bun.sleep(Math.max(0, Date.parse(moment) - Date.now()) + 100);
  };

  for (const kind of KINDS) {
    test.concurrent(`of kind ${kind.name} outlives its first end, with its views`, async () => {
      const item = await publishKind(perch, kind, 'kept', { query: { ttl: 1 } });
      for (const client of perch.clients) await readContent(client, kind, item);
      const { expiresAt } = await renewed(perch, item, 30);
      expect(Date.parse(expiresAt)).toBeGreaterThan(Date.parse(item.expiresAt) + 80_000);
      await until(item.expiresAt);
      for (const [n, client] of perch.clients.entries()) {
        const response = await readContent(client, kind, item);
        expect(await response.text()).toEndWith(kind.bytesOf('kept'));
        expect(response.headers.get('X-Views')).toBe(String(perch.clients.length + n + 1));
      }
    });

    test.concurrent(`of kind ${kind.name} ends earlier when its new time is shorter`, async () => {
      const item = await publishKind(perch, kind, 'short', { query: { ttl: 30 } });
      for (const client of perch.clients) await readContent(client, kind, item);
      const { expiresAt } = await renewed(perch.last, item, 1);
      await until(expiresAt);
      for (const client of perch.clients)
        expect([404, 410]).toContain((await readContent(client, kind, item)).status);
      await eventually(async () => (await readContent(perch, kind, item)).status === 410);
    });

    test.concurrent(`of kind ${kind.name} cannot be renewed once it has expired`, async () => {
      const item = await publishKind(perch, kind, 'late', { query: { ttl: 1, ns: 'late-renewals' } });
      await until(item.expiresAt);
      for (const client of perch.clients)
        await expectError(await renew(client, item, ownedBy(item)), 404, 'NOT_FOUND');
    });
  }

  test.concurrent('keeps the values of its keys, also of those written before and after', async () => {
    const store = await publishStore(perch, { key: 'first', value: 1 }, { query: { ttl: 1 } });
    await setKey(perch.last, store, 'before', 2);
    for (const client of perch.clients)
      expect(await (await resolveKey(client, store, 'before')).json()).toBe(2);
    const { expiresAt } = await renewed(perch, store, 30);
    expect((await setKey(perch.last, store, 'after', 3)).expiresAt).toBe(expiresAt);
    await until(store.expiresAt);
    for (const client of perch.clients)
      for (const [key, value] of [
        ['first', 1],
        ['before', 2],
        ['after', 3],
      ] as const)
        expect(await (await resolveKey(client, store, key)).json()).toBe(value);
    expect((await setKey(perch, store, 'before', 4)).version).toBe(2);
    for (const client of perch.clients)
      expect(await (await resolveKey(client, store, 'before')).json()).toBe(4);
  });
});

describe('the limit of renewals', () => {
  const limited = usePerch({ env: { LIMIT_CHANGES_PER_HOUR: '2' } });

  test('is that of changes', async () => {
    const item = await limited.publish('<p>limited');
    expect((await renew(limited, item, ownedBy(item))).headers.get('RateLimit-Remaining')).toBe('1');
    expect((await renew(limited, item)).status).toBe(403);
    await expectError(await renew(limited, item, ownedBy(item)), 429, 'RATE_LIMITED');
  });
});
