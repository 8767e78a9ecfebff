import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type Witness, witness } from './support/access-log.ts';
import { listOf } from './support/admin-list.ts';
import { type Published, type RequestOptions, shortPath } from './support/client.ts';
import { type Entry, LOG, type Page, type Query, useOperator } from './support/operator.ts';

setDefaultTimeout(60_000);
const { perch, ask: asOperator, list } = useOperator();

describe('the log', () => {
  let client: Witness;
  let page: Published;
  let other: Published;
  let entries: Entry[];

  /** Requests of every sort, one after another; `n` tells them apart. */
  beforeAll(async () => {
    client = witness(perch);
    page = await perch.publish('<p>one', { query: { ns: 'admin-log', id: 'one' } });
    other = await perch.publish('<p>two', { query: { ns: 'admin-log', id: 'one-more' } });
    let n = 0;
    const ask = async (path: string, ip: string, options: RequestOptions = {}) => {
      const headers = { 'X-Forwarded-For': ip, ...options.headers };
      const response = await client.request(path, {
        ...options,
        headers,
        query: { n: ++n, ...options.query },
      });
      await response.arrayBuffer();
    };
    for (const ip of ['198.51.100.1', '198.51.100.10', '2001:db8::1']) {
      await ask(shortPath(page), ip);
      await ask(shortPath(page), ip, { headers: { Referer: 'https://example.com/?token=secret' } });
      await ask(shortPath(page), ip, { method: 'HEAD' });
      await ask(shortPath(other), ip, { headers: { 'User-Agent': `${client.userAgent} 100%_Sure\\` } });
      await ask('/admin-log/missing', ip);
      await ask('/admin-log/caf%C3%A9_100%25', ip);
      await ask('/api/json', ip, { method: 'POST', json: { a: 1 }, query: { ns: 'admin-log', p: 'secret' } });
      await ask('/api/json', ip, { method: 'POST', body: '{', query: { ns: 'admin-log' } });
    }
    await client.logged();
    entries = (await list({ ua: client.userAgent, limit: 1000 })).items.filter(({ query }) =>
      /^n=/.test(query),
    );
  });

  /** Lists those of these requests that a filter matches. */
  const find = async (query: Query) => (await list({ ua: client.userAgent, limit: 1000, ...query })).items;
  const ours = (items: Entry[]) => items.filter(({ query }) => /^n=/.test(query)).map(({ id }) => id);
  const expected = (passes: (entry: Entry) => boolean) => entries.filter(passes).map(({ id }) => id);

  test('has all of them, newest first, with all that it keeps', async () => {
    const numbers = entries.map(({ query }) => Number(/^n=(\d+)/.exec(query)?.[1]));
    expect(numbers.toSorted((a, b) => b - a)).toEqual(Array.from({ length: 24 }, (_, n) => 24 - n));
    // Of one millisecond the one written last comes first, and two batches may be written in either order.
    const times = entries.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().reverse());
    expect(entries.find(({ query }) => query === 'n=2')).toEqual({
      id: expect.any(Number),
      requestId: expect.stringMatching(/^[\w-]{16}$/),
      clientIp: '198.51.100.1',
      userAgent: client.userAgent,
      method: 'GET',
      path: shortPath(page),
      query: 'n=2',
      status: 200,
      durationMs: expect.any(Number),
      requests: 1,
      referer: 'https://example.com/?token=***',
      resourceType: 'html',
      resourceNamespace: 'admin-log',
      resourceId: 'one',
      createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
    } as unknown as Entry);
  });

  const filters: Array<[query: Record<string, string>, passes: (entry: Entry) => boolean]> = [
    [{ ip: '198.51.100.1' }, ({ clientIp }) => clientIp === '198.51.100.1'],
    [{ ip: '2001:db8::1' }, ({ clientIp }) => clientIp === '2001:db8::1'],
    [{ ip: '198.51.100.2' }, () => false],
    [{ method: 'HEAD' }, ({ method }) => method === 'HEAD'],
    [{ method: 'post' }, ({ method }) => method === 'POST'],
    [{ status: '404' }, ({ status }) => status === 404],
    [{ status: '4xx' }, ({ status }) => status >= 400 && status < 500],
    [{ status: '2XX' }, ({ status }) => status < 300],
    [{ status: '5xx' }, ({ status }) => status >= 500],
    [{ path: '/admin-log/one' }, ({ path }) => path.startsWith('/admin-log/one')],
    [{ path: '/admin-log/café_100%25' }, ({ path }) => path === '/admin-log/caf%C3%A9_100%25'],
    [{ path: '/admin-log/%' }, () => false],
    [{ path: '/admin-log/_' }, () => false],
    [{ path: '/admin_log' }, () => false],
    [{ resource: 'admin-log/one' }, ({ resourceId }) => resourceId === 'one'],
    [{ resource: '/admin-log/one-more' }, ({ resourceId }) => resourceId === 'one-more'],
    [{ resource: 'admin-log' }, ({ resourceNamespace }) => resourceNamespace === 'admin-log'],
    [{ resource: 'one-more' }, ({ resourceId }) => resourceId === 'one-more'],
    [{ resource: '/one' }, ({ resourceId }) => resourceId === 'one'],
    [{ resource: 'admin-lo' }, () => false],
    [{ resource: 'admin-log/one', ip: '192.0.2.9' }, ({ resourceId }) => resourceId === 'one'],
    [{ ua: '100%_sure\\' }, ({ userAgent }) => userAgent?.endsWith('Sure\\') ?? false],
    [{ ua: '100_%sure' }, () => false],
  ];
  for (const [query, passes] of filters) {
    test(`finds ${JSON.stringify(query)}`, async () => {
      expect(ours(await find(query))).toEqual(expected(passes));
    });
  }

  test('finds what passes all filters at once', async () => {
    const query = { ip: '198.51.100.10', method: 'GET', status: '200', path: '/admin-log/one' };
    const found = await find({ ...query, from: '2020-01-01', to: '2100-01-01' });
    expect(ours(found)).toEqual(
      expected(
        ({ clientIp, method, resourceId }) =>
          clientIp === '198.51.100.10' && method === 'GET' && resourceId !== null,
      ),
    );
    expect(found).toHaveLength(3);
    for (const [name, value] of Object.entries({
      ip: '192.0.2.9',
      method: 'PUT',
      status: '5xx',
      path: '/x',
      resource: 'nothing',
    })) {
      expect(await find({ ...query, [name]: value })).toEqual([]);
    }
  });

  test('finds from an instant on and up to before another, however it is written', async () => {
    const [from = '', to = ''] = [entries[15]?.createdAt, entries[5]?.createdAt];
    const within = expected(({ createdAt }) => createdAt >= from && createdAt < to);
    const zoned = `${new Date(Date.parse(from) + 5.5 * 3_600_000).toISOString().slice(0, -1)}+05:30`;
    for (const start of [from, zoned, from.toLowerCase()])
      expect(ours(await find({ from: start, to }))).toEqual(within);
    // The plus sign of a zone, not encoded.
    const unencoded = await asOperator(
      `${LOG}?from=${zoned}&to=${to}&limit=1000&ua=${encodeURIComponent(client.userAgent)}`,
    );
    expect(ours((await listOf<Entry>(unencoded)).items)).toEqual(within);
    expect(await find({ from, to: from })).toEqual([]);
    const last = entries[0]?.createdAt ?? '';
    expect(ours(await find({ from: last }))).toEqual(expected(({ createdAt }) => createdAt >= last));
    const day = last.slice(0, 10);
    expect(ours(await find({ from: day }))).toEqual(expected(({ createdAt }) => createdAt >= day));
    expect(ours(await find({ to: day }))).toEqual(expected(({ createdAt }) => createdAt < day));
  });

  test('counts what a filter finds, whatever the page', async () => {
    const query = { ip: '198.51.100.1', path: '/admin-log/one', ua: client.userAgent };
    const total = (await list(query)).total;
    expect(total).toBe(
      expected(({ clientIp, path }) => clientIp === '198.51.100.1' && path.startsWith('/admin-log/one'))
        .length,
    );
    expect(await list({ ...query, limit: 1 })).toMatchObject({
      total,
      totalIsLowerBound: false,
    });
    expect(await list({ ...query, offset: total })).toMatchObject({
      total,
      items: [],
      nextCursor: null,
    });
    const { nextCursor } = await list({ ...query, limit: 2 });
    expect(await list({ ...query, limit: 2, cursor: nextCursor ?? '' })).toMatchObject({ total });
    // By the roll-ups, and by the entries of the last hour.
    const posts = { method: 'POST', to: entries[0]?.createdAt ?? '' };
    expect((await list({ ...posts, limit: 1 })).total).toBe(
      (await list({ ...posts, limit: 1000 })).items.length,
    );
  });

  test('is walked through by offset and by cursor alike, though it grows', async () => {
    const query = { ua: client.userAgent, limit: 5 };
    const byCursor: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const part: Page = await list({ ...query, cursor });
      byCursor.push(...part.items.map(({ id }) => id));
      cursor = part.nextCursor;
      await (await client.request('/admin-log/added')).arrayBuffer();
    }
    expect(new Set(byCursor).size).toBe(byCursor.length);
    const known = new Set(entries.map(({ id }) => id));
    expect(byCursor.filter((id) => known.has(id))).toEqual(entries.map(({ id }) => id));

    await client.logged();
    const all = await find({});
    const byOffset = await Promise.all([0, 5, 10].map((offset) => list({ ...query, offset })));
    expect(byOffset.flatMap(({ items }) => items)).toEqual(all.slice(0, 15));
  });
});
