import { describe, expect, test } from 'bun:test';
import type { Address, RequestOptions } from './support/client.ts';
import { ownedBy } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { itemPath, KINDS, publishKind, readContent, readsOf } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const clientOf = (n: number) => perch.clients[n % perch.clients.length] ?? perch;

describe.each(KINDS)('X-Views of an item of kind $name', (kind) => {
  const viewsOf = async (item: Address, options: RequestOptions = {}): Promise<number> => {
    const response = await readContent(perch.last, kind, item, { ...options, method: 'HEAD' });
    return Number(response.headers.get('X-Views'));
  };

  for (const ns of ['public', 'counted']) {
    test(`counts 100 reads at once over all gateways exactly (${ns})`, async () => {
      const item = await publishKind(perch, kind, 'x', { query: { ns } });
      expect(await viewsOf(item)).toBe(0);
      const answers = await atOnce(100, (n) => readContent(clientOf(n), kind, item));
      expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 100 });
      const counts = answers.map(({ headers }) => Number(headers.get('X-Views')));
      expect(Math.max(...counts)).toBe(100);
      expect(Math.min(...counts)).toBeGreaterThan(0);
      expect(await viewsOf(item)).toBe(100);
      for (let n = 101; n <= 104; n++)
        expect((await readContent(clientOf(n), kind, item)).headers.get('X-Views')).toBe(String(n));
    });
  }

  test('counts a 304 as a view', async () => {
    const item = await publishKind(perch, kind, 'x');
    const etag = (await readContent(perch, kind, item)).headers.get('ETag') ?? '';
    const answers = await atOnce(20, (n) =>
      readContent(clientOf(n), kind, item, n % 2 === 0 ? { headers: { 'If-None-Match': etag } } : {}),
    );
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 10, 304: 10 });
    for (const { headers } of answers) expect(Number(headers.get('X-Views'))).toBeGreaterThan(1);
    expect(await viewsOf(item)).toBe(21);
  });

  test('counts one for each address behind the short URL', async () => {
    const item = await publishKind(perch, kind, 'x');
    const paths = readsOf(kind, item).filter((path) => !path.startsWith('/api/'));
    for (const [n, path] of paths.entries()) {
      const response = await clientOf(n).request(path);
      expect([path, response.headers.get('X-Views')]).toEqual([path, String(n + 1)]);
    }
  });

  test('counts neither HEAD, nor OPTIONS, nor the API, nor what is refused', async () => {
    const open: RequestOptions = { headers: { 'X-Password': 'right' } };
    const item = await publishKind(perch, kind, 'x', open);
    await readContent(perch, kind, item, open);
    await atOnce(20, async (n) => {
      const client = clientOf(n);
      await readContent(client, kind, item, { ...open, method: 'HEAD' });
      await readContent(client, kind, item);
      await readContent(client, kind, item, { ...open, method: 'OPTIONS' });
      await readContent(client, kind, item, { ...open, method: 'POST' });
      await client.request(`/public/${item.id}/there/is/nothing`, open);
      for (const path of readsOf(kind, item)) if (path.startsWith('/api/')) await client.request(path, open);
    });
    expect((await readContent(perch, kind, item, { query: { p: 'wrong' } })).status).toBe(403);
    expect(await viewsOf(item, open)).toBe(1);
  });

  test('is kept over a change, and the list and the record tell the same', async () => {
    const item = await publishKind(perch, kind, 'x');
    await atOnce(7, (n) => readContent(clientOf(n), kind, item));
    if (kind.change !== null) {
      const { at, options } = kind.change;
      const headers = { ...options.headers, ...ownedBy(item).headers };
      const path = `${itemPath(kind, item)}${at}`;
      expect((await perch.request(path, { method: 'PUT', ...options, headers })).status).toBe(200);
    }
    expect((await readContent(perch.last, kind, item)).headers.get('X-Views')).toBe('8');
    const [listed] = (await (await perch.request(kind.path, ownedBy(item))).json()) as unknown[];
    expect(listed).toMatchObject({ id: item.id, views: 8 });
    const record = await perch.request(itemPath(kind, item), ownedBy(item));
    if (kind.name === 'kv' || kind.name === 'site') expect(await record.json()).toMatchObject({ views: 8 });
  });
});
