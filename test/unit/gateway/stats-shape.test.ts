import { expect, test } from 'bun:test';
import { statsShape } from '../../../services/gateway/features/stats/serializer.ts';
import { KINDS } from '../../../shared/items/item.ts';

const of = (kind: (typeof KINDS)[number], listed: boolean, from: number) => ({
  kind,
  public: listed,
  created: from,
  createdToday: from + 1,
  deleted: from - 2,
  deletedToday: from - 3,
  views: from * 10,
  viewsToday: from * 5,
  bytes: from * 1_000,
});

test('figures are sums, split by who may see the items, in all and by kind', () => {
  const stats = statsShape({
    totals: [of('html', true, 10), of('html', false, 20), of('file', false, 40)],
    at: 0,
  });
  expect(stats).toMatchObject({
    totalCreated: 70,
    totalCreatedPublic: 10,
    totalCreatedPrivate: 60,
    createdToday: 73,
    createdTodayPublic: 11,
    createdTodayPrivate: 62,
    totalViews: 700,
    totalViewsPublic: 100,
    totalViewsPrivate: 600,
    viewsToday: 350,
    viewsTodayPublic: 50,
    viewsTodayPrivate: 300,
    totalDeleted: 64,
    totalDeletedPublic: 8,
    totalDeletedPrivate: 56,
    deletedToday: 61,
    deletedTodayPublic: 7,
    deletedTodayPrivate: 54,
    activeItems: 6,
    storedBytes: 70_000,
    timestamp: '1970-01-01T00:00:00.000Z',
  });
  expect(stats.breakdown.map(({ type }) => type)).toEqual([...KINDS]);
  expect(stats.breakdown.find(({ type }) => type === 'html')).toEqual({
    type: 'html',
    total: 30,
    totalPublic: 10,
    totalPrivate: 20,
    today: 32,
    todayPublic: 11,
    todayPrivate: 21,
    active: 4,
    deleted: 26,
    deletedPublic: 8,
    deletedPrivate: 18,
    totalDeleted: 26,
    totalDeletedPublic: 8,
    totalDeletedPrivate: 18,
    deletedToday: 24,
    deletedTodayPublic: 7,
    deletedTodayPrivate: 17,
    todayDeleted: 24,
    todayDeletedPublic: 7,
    todayDeletedPrivate: 17,
    views: 300,
    viewsPublic: 100,
    viewsPrivate: 200,
    viewsToday: 150,
    viewsTodayPublic: 50,
    viewsTodayPrivate: 100,
    bytes: 30_000,
  });
});

test('nothing has zeros everywhere', () => {
  const { breakdown, timestamp, ...figures } = statsShape({ totals: [], at: 1 });
  for (const { type, ...kind } of breakdown) for (const value of Object.values(kind)) expect(value).toBe(0);
  for (const value of Object.values(figures)) expect(value).toBe(0);
  expect(breakdown).toHaveLength(KINDS.length);
  expect(timestamp).toBe('1970-01-01T00:00:00.001Z');
});
