import { beforeEach, expect, test } from 'bun:test';
import { describeItemViews } from '../../services/analytics/operations/describe-item-views.ts';
import { HOSTS_PER_DAY } from '../../services/analytics/repository/item-views.ts';
import { forgetItemViews } from '../../services/analytics/sweep/forget-item-views.ts';
import { accessEvent, NOON } from '../access-events.ts';
import { accessBatch, DAY_MS, HOUR_MS, useAccessLog } from './access-log-operations.ts';

const RETENTION_DAYS = 10;
const log = useAccessLog(RETENTION_DAYS);
const { deps } = log;
beforeEach(() => log.clear());

const CODE = 'AAAAAAA';
const CREATED = NOON - 20 * DAY_MS;

async function createItem(code: string): Promise<void> {
  await deps.sql`
    insert into items (namespace, id, kind, code, owner_hash, title, ttl_days, size_bytes, content, created_at, updated_at,
      expires_at)
    values ('views', ${code.toLowerCase()}, 'kv', ${code}, 'owner', '', 15, 0, '{}', ${CREATED}, ${CREATED},
      ${NOON + DAY_MS})`;
}

const view = (changes: Parameters<typeof accessEvent>[0] = {}) => accessEvent({ viewed: CODE, ...changes });
const read = (days = 30, code = CODE, createdAt = CREATED) =>
  describeItemViews(deps, { code, createdAt, days });

const rowsOf = async (code: string): Promise<number> => {
  const [row] = await deps.sql<[{ count: number }]>`
    select (select count(*) from item_view_hours where code = ${code})
      + (select count(*) from item_view_referers where code = ${code}) as count`;
  return row.count;
};

test('views are counted by hour, day and host, and nothing else is', async () => {
  await createItem(CODE);
  await createItem('BBBBBBB');
  const midnight = NOON - 12 * HOUR_MS;
  await log.write(
    accessBatch([
      view({ at: NOON - 1 }),
      view({ at: NOON, referer: 'https://Example.com/one?x=1' }),
      view({ at: NOON, referer: 'https://example.com/two', requests: 5 }),
      view({ at: midnight - 1, referer: 'https://news.example.org:8443/' }),
      view({ at: midnight - 2 * DAY_MS, referer: 'android-app://com.example.mail/' }),
      // Of no host.
      view({ at: NOON, referer: 'about:blank' }),
      view({ at: NOON, referer: 'not an address' }),
      accessEvent({ at: NOON, viewed: null, referer: 'https://example.com/' }),
      accessEvent({ at: NOON, referer: 'https://example.com/' }),
      view({ at: NOON, viewed: 'BBBBBBB', referer: 'https://elsewhere.example/' }),
    ]),
  );
  const found = await read();
  expect(found.hours).toHaveLength(24);
  expect(found.hours[0]?.at).toBe(NOON - 23 * HOUR_MS);
  expect(found.hours.filter(({ views }) => views > 0)).toEqual([
    { at: midnight - HOUR_MS, views: 1 },
    { at: NOON - HOUR_MS, views: 1 },
    { at: NOON, views: 8 },
  ]);
  expect(found.days.filter(({ views }) => views > 0)).toEqual([
    { date: '2026-11-19', views: 1 },
    { date: '2026-11-20', views: 1 },
    { date: '2026-11-21', views: 9 },
  ]);
  expect(found.referers).toEqual([
    { host: 'example.com', views: 6 },
    { host: 'com.example.mail', views: 1 },
    { host: 'news.example.org:8443', views: 1 },
  ]);
  expect(found).toMatchObject({ otherReferers: 0, withoutReferer: 3, at: NOON });
  expect((await read(1)).days).toEqual([{ date: '2026-11-21', views: 9 }]);
  expect((await read(1)).referers).toEqual([{ host: 'example.com', views: 6 }]);
});

test('days begin with the item, and with what the log still has', async () => {
  await createItem(CODE);
  const datesOf = async (createdAt: number, days: number) =>
    (await read(days, CODE, createdAt)).days.map(({ date }) => date);
  expect(await datesOf(CREATED, 90)).toHaveLength(RETENTION_DAYS + 1);
  expect(await datesOf(NOON - DAY_MS, 90)).toEqual(['2026-11-20', '2026-11-21']);
  expect(await datesOf(NOON, 90)).toEqual(['2026-11-21']);
  // A clock that is ahead of this one.
  expect(await datesOf(NOON + DAY_MS, 90)).toEqual(['2026-11-21']);
  expect(await datesOf(CREATED, 2)).toEqual(['2026-11-20', '2026-11-21']);
});

test('a batch counts once, however often and with whatever it arrives', async () => {
  await createItem(CODE);
  const batch = accessBatch([view({ referer: 'https://example.com/' }), view()]);
  await Promise.all([log.write(batch), log.write(batch), log.write(accessBatch([view()]))]);
  await log.write(batch);
  const found = await read();
  expect(found.days.at(-1)?.views).toBe(3);
  expect(found).toMatchObject({ referers: [{ host: 'example.com', views: 1 }], withoutReferer: 2 });
});

test('hosts beyond the bound of a day are counted together, those that are known go on', async () => {
  await createItem(CODE);
  const from = (n: number) => view({ referer: `https://host-${n}.example/` });
  await log.write(accessBatch(Array.from({ length: HOSTS_PER_DAY - 1 }, (_, n) => from(n))));
  await log.write(
    accessBatch([from(1_001), from(1_001), from(1_002), from(1_003), from(0), from(0), from(0)]),
  );
  await log.write(accessBatch([from(1_004), from(1_001)]));
  const found = await read();
  expect(await rowsOf(CODE)).toBe(HOSTS_PER_DAY + 1 + 1);
  expect(found.referers.slice(0, 2)).toEqual([
    { host: 'host-0.example', views: 4 },
    { host: 'host-1001.example', views: 3 },
  ]);
  expect(found.referers).toHaveLength(20);
  const all = HOSTS_PER_DAY - 1 + 7 + 2;
  expect(found.otherReferers).toBe(all - 4 - 3 - 18);
  expect(found.withoutReferer).toBe(0);
});

test('of an item that is gone nothing stays, and nothing comes after it', async () => {
  await createItem(CODE);
  await createItem('BBBBBBB');
  const views = [CODE, 'BBBBBBB'].map((viewed) => view({ viewed, referer: 'https://example.com/' }));
  await log.write(accessBatch(views));
  await deps.sql`delete from items where code = ${CODE}`;
  await log.write(accessBatch(views));
  expect(await rowsOf(CODE)).toBe(2);
  expect(await forgetItemViews(deps)).toEqual({ done: 2, more: false });
  expect(await rowsOf(CODE)).toBe(0);
  await log.write(accessBatch(views));
  expect(await rowsOf(CODE)).toBe(0);
  expect((await read(30, 'BBBBBBB')).days.at(-1)?.views).toBe(3);
  expect(await deps.sql`select from item_views_to_forget`).toHaveLength(0);
  expect(await forgetItemViews(deps)).toEqual({ done: 0, more: false });
});

test('items that go while they are being viewed leave nothing', async () => {
  const codes = Array.from({ length: 20 }, (_, n) => `C${String(n).padStart(6, '0')}`);
  for (const code of codes) await createItem(code);
  const events = codes.map((viewed) => view({ viewed, referer: 'https://example.com/' }));
  await Promise.all([
    ...Array.from({ length: 10 }, (_, n) =>
      log.write(accessBatch(n % 2 === 0 ? events : events.toReversed())),
    ),
    ...codes.map((code) => deps.sql`delete from items where code = ${code}`),
    ...Array.from({ length: 5 }, () => forgetItemViews(deps)),
  ]);
  await forgetItemViews(deps);
  expect(await deps.sql`select from item_view_hours`).toHaveLength(0);
  expect(await deps.sql`select from item_view_referers`).toHaveLength(0);
});
