import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { type Address, jsonOf, ownedBy, type Published, type RequestOptions } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, publishKind, readContent } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

setDefaultTimeout(60_000);
const perch = sharePerch();

interface ItemStats {
  type: string;
  views: number;
  hours: Array<{ at: string; views: number }>;
  days: Array<{ date: string; views: number }>;
  referers: Array<{ host: string; views: number }>;
  otherReferers: number;
  withoutReferer: number;
  timestamp: string;
}

const ask = ({ namespace, id }: Address, options: RequestOptions = {}, client = perch.last) =>
  client.request(`/api/${namespace}/${id}/stats`, options);

const sum = (counts: Array<{ views: number }>): number =>
  counts.reduce((total, { views }) => total + views, 0);

/** Waits until the log has so many views of an item. */
async function statsWith(
  views: number,
  item: Published,
  options: RequestOptions = ownedBy(item),
): Promise<ItemStats> {
  for (let attempt = 0; ; attempt++) {
    const response = await ask(item, options);
    expect(response.headers.get('Cache-Control')).toBe('private, no-store');
    const stats = await jsonOf<ItemStats>(response);
    if (sum(stats.days) >= views || attempt === 600) return stats;
    await Bun.sleep(50);
  }
}

describe.each(KINDS)('the views over time of an item of kind $name', (kind) => {
  test('are those that its counter has counted, wherever they came in', async () => {
    const item = await publishKind(perch, kind, 'x', { query: { ns: 'counted' } });
    await atOnce(20, (n) => readContent(perch.clients[n % perch.clients.length] ?? perch, kind, item));
    for (const referer of [
      'https://example.com/a?token=secret',
      'https://example.com/b',
      'https://other.example/',
    ])
      await readContent(perch, kind, item, { headers: { Referer: referer } });
    // These count nowhere.
    await readContent(perch, kind, item, { method: 'HEAD' });
    await perch.request(itemPath(kind, item));
    await ask(item, ownedBy(item));

    const stats = await statsWith(23, item);
    expect(stats).toMatchObject({ type: kind.name, views: 23, otherReferers: 0, withoutReferer: 20 });
    expect([sum(stats.days), sum(stats.hours)]).toEqual([23, 23]);
    expect(stats.hours).toHaveLength(24);
    expect(stats.days.at(-1)?.date).toBe(stats.timestamp.slice(0, 10));
    expect(stats.referers).toEqual([
      { host: 'example.com', views: 2 },
      { host: 'other.example', views: 1 },
    ]);
    expect(JSON.stringify(stats)).not.toContain('secret');
    expect((await readContent(perch, kind, item)).headers.get('X-Views')).toBe('24');
  });

  test('are for its owner alone', async () => {
    const item = await publishKind(perch, kind, 'x', { headers: { 'X-Password': 'right' } });
    const stranger = await publishKind(perch, kind, 'y');
    for (const client of perch.clients) {
      await expectError(await ask(item, {}, client), 403, 'OWNER_TOKEN_REQUIRED');
      await expectError(
        await ask(item, { headers: { 'X-Password': 'right' } }, client),
        403,
        'OWNER_TOKEN_REQUIRED',
      );
      await expectError(await ask(item, ownedBy(stranger), client), 403, 'OWNER_TOKEN_WRONG');
    }
    await readContent(perch, kind, item);
    await readContent(perch, kind, item, { headers: { 'X-Password': 'right' } });
    const inQuery = { query: { token: item.ownerToken } };
    expect(sum((await statsWith(1, item, inQuery)).days)).toBe(1);
  });
});

test('the day of an item’s birth is its first, and only some days can be asked for', async () => {
  const item = await perch.publish('<p>days');
  for (const days of ['1', '30', '90', '', ' '])
    expect(sum((await jsonOf<ItemStats>(await ask(item, { ...ownedBy(item), query: { days } }))).days)).toBe(
      0,
    );
  for (const days of ['0', '91', '-1', '1.5', 'week', '1e1'])
    await expectError(await ask(item, { ...ownedBy(item), query: { days } }), 400, 'VALIDATION_FAILED');
  const { days } = await jsonOf<ItemStats>(await ask(item, { ...ownedBy(item), query: { days: '90' } }));
  expect(days.length).toBeWithin(1, 3);
});

test('of a hidden item they are there for its owner alone', async () => {
  const item = await perch.publish('<p>hidden');
  await perch.read(item);
  await statsWith(1, item);
  const headers = { 'X-Admin-Password': ADMIN_PASSWORD };
  await perch.request(`/api/admin/items/${item.namespace}/${item.id}/hide`, { method: 'POST', headers });
  await expectError(await ask(item), 404, 'NOT_FOUND');
  expect(sum((await statsWith(1, item)).days)).toBe(1);
});

test('of what is gone there are none, and another item at its address begins anew', async () => {
  const query = { ns: 'again', id: 'one' };
  const item = await perch.publish('<p>first', { query });
  await perch.read(item);
  await statsWith(1, item);
  await perch.api(item, { method: 'DELETE', ...ownedBy(item) });
  for (const client of perch.clients)
    await expectError(await ask(item, ownedBy(item), client), 404, 'NOT_FOUND');
  const next = await perch.publish('<p>second', { query });
  await perch.read(next);
  await perch.read(next);
  const stats = await statsWith(2, next);
  expect([sum(stats.days), sum(stats.hours), stats.withoutReferer]).toEqual([2, 2, 2]);
});

test('of what never was, or cannot be, is 404', async () => {
  for (const item of [
    { namespace: 'public', id: 'never-was' },
    { namespace: 'NOT-ONE', id: 'x' },
    { namespace: 'public', id: '%00' },
  ])
    await expectError(await ask(item, { query: { token: 'x'.repeat(20) } }), 404, 'NOT_FOUND');
});

interface History {
  range: string;
  spans: Array<{
    at: string;
    created: number;
    views: number;
    bytes: number;
    kinds: Array<{ type: string; created: number }>;
  }>;
}

test('the history of the service has what its totals have', async () => {
  const totals = await jsonOf<{ totalCreated: number; storedBytes: number }>(
    await perch.request('/api/stats'),
  );
  await Bun.sleep(1_100);
  for (const [range, count] of [
    ['24h', 24],
    ['7d', 28],
    ['30d', 30],
    ['', 24],
  ] as const) {
    const history = await jsonOf<History>(
      await perch.last.request('/api/stats/history', { query: { range } }),
    );
    expect(history.spans).toHaveLength(count);
    const created = history.spans.reduce((all, span) => all + span.created, 0);
    expect(created).toBe(totals.totalCreated);
    expect(history.spans.at(-1)?.bytes).toBe(totals.storedBytes);
    expect(
      history.spans.reduce((all, { kinds }) => all + kinds.reduce((n, kind) => n + kind.created, 0), 0),
    ).toBe(created);
  }
  for (const range of ['1y', '24H', '24'])
    await expectError(
      await perch.request('/api/stats/history', { query: { range } }),
      400,
      'VALIDATION_FAILED',
    );
});
