import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Stats } from '../../services/gateway/features/stats/serializer.ts';
import { jsonOf, ownedBy, type Published, type RequestOptions } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, publishKind, readContent } from './support/kinds.ts';
import { usePerch } from './support/perch.ts';

setDefaultTimeout(60_000);
// Nobody else's: the numbers are those of all items.
const perch = usePerch({ gateways: 2, env: { TTL_DAY_SECONDS: '8', LIMIT_READS_PER_MINUTE: '100000' } });

const readStats = async (options: RequestOptions = {}): Promise<Stats> =>
  jsonOf<Stats>(await perch.last.request('/api/stats', options));

/** Waits for what comes by itself: numbers are renewed once a second, views saved within ten. */
async function statsWhere(what: string, holds: (stats: Stats) => boolean): Promise<Stats> {
  let stats = await readStats();
  for (let attempt = 0; !holds(stats); attempt++) {
    if (attempt === 300) throw new Error(`${what}: waited in vain, with ${JSON.stringify(stats)}`);
    await Bun.sleep(100);
    stats = await readStats();
  }
  return stats;
}

const kindOf = (stats: Stats, type: string) => {
  const found = stats.breakdown.find((kind) => kind.type === type);
  if (found === undefined) throw new Error(`no ${type}`);
  return found;
};
/** Long enough for these tests: four minutes. */
const lasting = { ttl: '30' };

describe('GET /api/stats', () => {
  test('a new service has done nothing', async () => {
    const stats = await readStats();
    expect(stats).toMatchObject({
      totalCreated: 0,
      totalViews: 0,
      totalDeleted: 0,
      activeItems: 0,
      storedBytes: 0,
    });
    expect(stats.breakdown.map(({ type }) => type).sort()).toEqual(['file', 'html', 'json', 'kv', 'site']);
    expect(Math.abs(Date.parse(stats.timestamp) - Date.now())).toBeLessThan(60_000);
  });

  test('counts items of every kind and their bytes, listed ones apart from others', async () => {
    const before = await readStats();
    let bytes = 0;
    for (const kind of KINDS) {
      const sent: RequestOptions[] = [
        { query: lasting },
        { query: { ...lasting, ns: 'not-listed' } },
        { query: lasting, headers: { 'X-Password': 'secret' } },
      ];
      for (const [index, options] of sent.entries()) {
        bytes += (await publishKind(perch, kind, `${kind.name} ${index}`, options)).sizeBytes;
      }
    }
    const all = 3 * KINDS.length;
    const after = await statsWhere(
      'all are counted',
      ({ totalCreated }) => totalCreated === before.totalCreated + all,
    );
    expect(after).toMatchObject({
      totalCreatedPublic: before.totalCreatedPublic + KINDS.length,
      totalCreatedPrivate: before.totalCreatedPrivate + 2 * KINDS.length,
      activeItems: before.activeItems + all,
      storedBytes: before.storedBytes + bytes,
    });
    for (const { name } of KINDS) {
      const [now, then] = [kindOf(after, name), kindOf(before, name)];
      expect(now.total).toBe(then.total + 3);
      expect(now.totalPublic).toBe(then.totalPublic + 1);
      expect(now.totalPrivate).toBe(then.totalPrivate + 2);
      expect(now.active).toBe(then.active + 3);
    }
  });

  test('views of every kind, whose totals outlast the items, some of them read to the last', async () => {
    const before = await readStats();
    const items: Array<{ kind: (typeof KINDS)[number]; item: Published }> = [];
    for (const kind of KINDS) {
      const item = await publishKind(perch, kind, 'to be read', { query: { ...lasting, ns: 'read-here' } });
      items.push({ kind, item });
      for (let view = 0; view < 3; view++) {
        const client = perch.clients[view % perch.clients.length] ?? perch;
        expect((await readContent(client, kind, item)).headers.get('X-Views')).toBe(String(view + 1));
      }
    }
    const views = 3 * KINDS.length;
    const read = await statsWhere(
      'views are saved',
      ({ totalViews }) => totalViews >= before.totalViews + views,
    );
    expect(read.totalViews).toBe(before.totalViews + views);
    expect(read.totalViewsPrivate).toBe(before.totalViewsPrivate + views);
    for (const { kind, item } of items) {
      expect(kindOf(read, kind.name).views).toBe(kindOf(before, kind.name).views + 3);
      await readContent(perch, kind, item);
      const removed = await perch.request(itemPath(kind, item), { method: 'DELETE', ...ownedBy(item) });
      expect(removed.status).toBe(204);
    }
    const after = await statsWhere(
      'the removals are counted',
      ({ totalDeleted }) => totalDeleted === before.totalDeleted + KINDS.length,
    );
    expect(after.totalViews).toBe(before.totalViews + views + KINDS.length);
    expect(after.totalCreated).toBe(before.totalCreated + KINDS.length);
    expect(after.storedBytes).toBe(before.storedBytes);
    expect(after.activeItems).toBe(before.activeItems);
  });

  test('totals do not go down when items expire', async () => {
    const before = await readStats();
    for (const kind of KINDS) await publishKind(perch, kind, 'short-lived', { query: { ttl: '1' } });
    const after = await statsWhere(
      'they have expired',
      ({ totalDeleted }) => totalDeleted === before.totalDeleted + KINDS.length,
    );
    expect(after).toMatchObject({
      totalCreated: before.totalCreated + KINDS.length,
      totalDeletedPublic: before.totalDeletedPublic + KINDS.length,
      totalDeletedPrivate: before.totalDeletedPrivate,
      activeItems: before.activeItems,
      storedBytes: before.storedBytes,
    });
    for (const { name } of KINDS) expect(kindOf(after, name).deleted).toBe(kindOf(before, name).deleted + 1);
  });

  test('bytes follow a page that changes, and the values of a store', async () => {
    const before = await readStats();
    const page = await perch.publish('<p>x', { query: lasting });
    const store = await jsonOf<Published>(
      await perch.request('/api/kv', {
        method: 'POST',
        query: lasting,
        json: { key: 'a', value: 'x'.repeat(98) },
      }),
      201,
    );
    await perch.api(page, {
      method: 'PUT',
      headers: { ...ownedBy(page).headers, 'Content-Type': 'text/html' },
      body: 'y'.repeat(1_000),
    });
    const put = (key: string, value: string) =>
      perch.request(`/api/kv/${store.namespace}/${store.id}/${key}`, {
        method: 'PUT',
        json: { value },
        ...ownedBy(store),
      });
    await Promise.all([put('b', 'y'.repeat(48)), put('a', 'x'.repeat(8))]);
    const wanted = before.storedBytes + 1_000 + 48 + 8;
    const after = await statsWhere('the bytes are counted', ({ storedBytes }) => storedBytes === wanted);
    expect(kindOf(after, 'kv').bytes).toBe(kindOf(before, 'kv').bytes + 56);
    expect(kindOf(after, 'html').bytes).toBe(kindOf(before, 'html').bytes + 1_000);
  });

  test('today is that of the time zone that is asked for', async () => {
    for (const tz of [
      'Asia/Kathmandu',
      'america/new_york',
      'Etc/GMT+12',
      'Pacific/Kiritimati',
      '',
      ' UTC ',
    ]) {
      const stats = await readStats({ query: { tz } });
      expect(stats.createdToday).toBeLessThanOrEqual(stats.totalCreated);
      expect(stats.totalCreated).toBeGreaterThan(0);
    }
    // At every moment some zone's day began hours ago.
    const zones = ['UTC', 'Asia/Tokyo', 'America/Los_Angeles'];
    const counts = await Promise.all(
      zones.map(async (tz) => (await readStats({ query: { tz } })).createdToday),
    );
    expect(Math.max(...counts)).toBe((await readStats()).totalCreated);
  });

  for (const tz of ['Europe/Atlantis', '+02:00', 'UTC;select', 'x'.repeat(200)]) {
    test(`"${tz.slice(0, 20)}" is no time zone`, async () => {
      const response = await perch.request('/api/stats', { query: { tz } });
      const { details } = await expectError(response, 400, 'VALIDATION_FAILED');
      expect(details).toMatchObject([{ field: 'tz' }]);
    });
  }

  test('is a read like others: limited, checked for freshness, HEAD too, nothing else', async () => {
    const { status, headers } = await perch.request('/api/stats');
    expect([status, headers.get('Cache-Control'), headers.get('RateLimit-Limit')]).toEqual([
      200,
      'no-cache',
      '100000',
    ]);
    expect((await perch.request('/api/stats', { method: 'HEAD' })).status).toBe(200);
    await expectError(await perch.request('/api/stats', { method: 'POST' }), 405, 'METHOD_NOT_ALLOWED');
  });

  test('a hundred who ask at once are told the same', async () => {
    const before = await readStats();
    const answers = await atOnce(100, () => readStats());
    for (const { totalCreated, totalViews } of answers) {
      expect(totalCreated).toBe(before.totalCreated);
      expect(totalViews).toBeGreaterThanOrEqual(before.totalViews);
    }
  });
});

test('GET /stats shows the numbers to people, under the strict policy', async () => {
  const { totalCreated, totalCreatedPublic } = await readStats();
  const response = await perch.request('/stats', { headers: { Accept: 'text/html' } });
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect(response.headers.get('RateLimit-Limit')).toBe('100000');
  const text = await response.text();
  expect(text).toContain(`<span data-figure="totalCreated">${totalCreated.toLocaleString('en')}</span>`);
  expect(text).toContain(`<span data-figure="totalCreatedPublic">${totalCreatedPublic}</span>`);
  for (const { name } of KINDS) expect(text).toContain(`<tr data-kind="${name}">`);
  expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|style=/);
});
