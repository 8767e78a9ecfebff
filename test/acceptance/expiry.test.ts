import { describe, expect, test } from 'bun:test';
import {
  apiPath,
  codePath,
  ownedBy,
  type Published,
  type RequestOptions,
  raw,
  shortPath,
} from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { usePerch } from './support/perch.ts';

/** Until the page's time is over. */
const expiryOf = async (page: Published): Promise<void> => {
  await Bun.sleep(Math.max(0, Date.parse(page.expiresAt) - Date.now()) + 20);
};

/** Long enough for what has to happen before, on a busy machine, too. All wait for it at once. */
const TTL_SECONDS = 12;

describe('before the sweep', () => {
  const perch = usePerch({
    gateways: 2,
    env: { TTL_DAY_SECONDS: String(TTL_SECONDS), SWEEP_INTERVAL_SECONDS: '600' },
  });

  for (const namespace of ['public', 'expiring']) {
    test.concurrent(`an expired page is not found, by nobody and nowhere (${namespace})`, async () => {
      const page = await perch.publish('<p>x', { query: { ns: namespace, ttl: 1 } });
      expect(Date.parse(page.expiresAt) - Date.parse(page.createdAt)).toBe(TTL_SECONDS * 1000);
      for (const client of perch.clients) expect((await client.read(page)).status).toBe(200);
      await expiryOf(page);
      const put: RequestOptions = { method: 'PUT', ...raw('<p>y', 'text/html', ownedBy(page)) };
      const attempts: Array<[path: string, options?: RequestOptions]> = [
        [shortPath(page)],
        [`${shortPath(page)}?raw=true`],
        [codePath(page)],
        [apiPath(page)],
        [`${apiPath(page)}/settings`, ownedBy(page)],
        [`${apiPath(page)}/source`, ownedBy(page)],
        [apiPath(page), put],
        [apiPath(page), { method: 'DELETE', ...ownedBy(page) }],
      ];
      for (const client of perch.clients)
        for (const [path, options] of attempts)
          await expectError(await client.request(path, options), 404, 'NOT_FOUND');
    });

    test.concurrent(`its id is free again (${namespace})`, async () => {
      const query = { ns: namespace, ttl: 1, id: 'again' };
      const first = await perch.publish('<p>first', { query });
      await expectError(await perch.post(raw('<p>too early', 'text/html', { query })), 409, 'ID_TAKEN');
      await perch.read(first);
      await expiryOf(first);
      const second = await perch.publish('<p>second', { query: { ...query, ttl: 30 } });
      for (const [n, client] of perch.clients.entries()) {
        const view = await client.read(second);
        expect(await view.text()).toEndWith('<p>second');
        expect(view.headers.get('X-Views')).toBe(String(n + 1));
      }
      await expectError(
        await perch.api(second, { method: 'DELETE', ...ownedBy(first) }),
        403,
        'OWNER_TOKEN_WRONG',
      );
    });
  }

  test.concurrent('an update does not postpone it', async () => {
    const page = await perch.publish('<p>x', { query: { ttl: 1 } });
    const put: RequestOptions = { method: 'PUT', ...raw('<p>y', 'text/html', ownedBy(page)) };
    expect((await perch.api(page, put)).status).toBe(200);
    await expiryOf(page);
    await expectError(await perch.read(page), 404, 'NOT_FOUND');
  });

  test.concurrent('an identical repost makes a new page', async () => {
    const page = await perch.publish('<p>repost', { query: { ttl: 1 } });
    await expiryOf(page);
    const again = await perch.post(raw('<p>repost', 'text/html', ownedBy(page)));
    expect(again.status).toBe(201);
    expect(again.headers.has('X-Existing-Resource')).toBe(false);
  });
});

describe('after the sweep', () => {
  const perch = usePerch({
    gateways: 2,
    contents: 2,
    env: { TTL_DAY_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' },
  });

  const outcomes = [
    ['public', '', 410, 'GONE'],
    ['public', 'secret', 410, 'GONE'],
    ['expiring', '', 404, 'NOT_FOUND'],
    ['expiring', 'secret', 404, 'NOT_FOUND'],
  ] as const;
  for (const [namespace, password, status, code] of outcomes) {
    test.concurrent(`an expired page in ${namespace}${password && ' with a password'} is ${status}`, async () => {
      const page = await perch.publish('<p>x', {
        query: { ns: namespace, ttl: 1 },
        headers: { 'X-Password': password },
      });
      await expiryOf(page);
      const swept = await perch.publish('<p>later', { query: { ttl: 1 } });
      await eventually(async () => (await perch.read(swept)).status === 410);
      for (const client of perch.clients) {
        await expectError(await client.read(page), status, code);
        await expectError(await client.request(codePath(page)), status, code);
        await expectError(await client.api(page), 404, 'NOT_FOUND');
      }
      const successor = await perch.publish('<p>new', { query: { ns: namespace, id: page.id, ttl: 30 } });
      for (const client of perch.clients)
        expect(await (await client.read(successor)).text()).toEndWith('<p>new');
    });
  }

  test.concurrent('only what has expired is swept', async () => {
    const [short, long] = [
      await perch.publish('<p>short', { query: { ttl: 1 } }),
      await perch.publish('<p>long', { query: { ttl: 30 } }),
    ];
    await eventually(async () => (await perch.read(short)).status === 410);
    expect(await (await perch.last.read(long)).text()).toEndWith('<p>long');
  });
});
