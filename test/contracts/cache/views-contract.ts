import { expect, test } from 'bun:test';
import { type CachePair, freshItem, liveRecord, removedRecord, until } from './fixtures.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const ascending = (numbers: number[]): number[] => numbers.sort((a, b) => a - b);

/** View counters: exact, whoever counts at once. */
export function viewsContract(opened: () => CachePair): void {
  test('each visit of an open item is counted once', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item));
    for (const expected of upTo(5)) expect((await cache.visit(item, true)).views).toBe(expected);
    expect((await other.visit(item, true)).views).toBe(6);
  });

  test('readers counted together get the numbers up to the last, those at once on both sides too', async () => {
    const caches = opened();
    const item = freshItem();
    await caches[0].putRecord(liveRecord(item));
    expect(await caches[1].visitTogether(item, null, 3)).toMatchObject({ record: { version: 1 }, views: 3 });
    const groups = upTo(20);
    const visits = await Promise.all(
      groups.map(async (readers) => {
        const { views } = await caches[(readers % 2) as 0 | 1].visitTogether(item, null, readers);
        return upTo(readers).map((behind) => views - behind + 1);
      }),
    );
    expect(ascending(visits.flat())).toEqual(upTo(210).map((n) => n + 3));
    await caches[0].putRecord(liveRecord(item, { version: 2, passwordHash: 'secret' }));
    expect((await caches[1].visitTogether(item, null, 5)).views).toBe(213);
  });

  test('a visit that is not to be counted only tells the number', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item));
    await cache.visit(item, true);
    for (let round = 0; round < 3; round++) expect((await other.visit(item, false)).views).toBe(1);
  });

  test('a protected item is counted by countViews alone', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item, { passwordHash: 'secret' }));
    await cache.visit(item, true);
    expect((await other.visit(item, true)).views).toBe(0);
    expect(await cache.countViews(item, 1)).toBe(1);
    expect((await other.visit(item, true)).views).toBe(1);
  });

  test('a removed item is not counted', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(removedRecord(item, 2));
    await cache.visit(item, true);
    const visit = await other.visit(item, true);
    expect(visit.record?.state).toBe('removed');
    expect(visit.views).toBe(0);
  });

  test('a new item at the address starts at one, also where nobody told of the removal', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item));
    for (let round = 0; round < 5; round++) await cache.visit(item, true);
    await other.putRecord(liveRecord(item, { version: 3, code: 'another' }));
    expect((await cache.visit(item, true)).views).toBe(1);
  });

  test("what is counted or taken back after the removal is not the next item's", async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item));
    await cache.visit(item, true);
    await other.putRecord(removedRecord(item, 2));
    expect(await cache.countViews(item, -1)).toBe(0);
    expect(await cache.countViews(item, 3)).toBe(0);
    await other.putRecord(liveRecord(item, { version: 3, code: 'another' }));
    expect((await cache.visit(item, true)).views).toBe(1);
  });

  test('removal ends the counter: what comes after it starts at one', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item));
    for (let round = 0; round < 3; round++) await cache.visit(item, true);
    await other.putRecord(removedRecord(item, 2));
    await cache.putRecord(liveRecord(item, { version: 3 }));
    expect((await cache.visit(item, true)).views).toBe(1);
  });

  test('a new version keeps the counter', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item));
    await cache.visit(item, true);
    await other.putRecord(liveRecord(item, { version: 2 }));
    expect((await cache.visit(item, true)).views).toBe(2);
  });

  test('countViews adds, takes back, tells, and keeps what was counted before the record was known', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    expect(await cache.countViews(item, 0)).toBe(0);
    expect(await cache.countViews(item, 5)).toBe(5);
    expect(await other.countViews(item, -2)).toBe(3);
    expect(await cache.countViews(item, 0)).toBe(3);
    await cache.putRecord(liveRecord(item));
    expect((await other.visit(item, true)).views).toBe(4);
    await cache.countViews(item, -4);
    expect((await cache.visit(item, true)).views).toBe(1);
  });

  test('200 visits at once each get a number of their own', async () => {
    const caches = opened();
    const item = freshItem();
    await caches[0].putRecord(liveRecord(item));
    const visits = await Promise.all(
      upTo(200).map((number) => caches[(number % 2) as 0 | 1].visit(item, true)),
    );
    expect(ascending(visits.map(({ views }) => views))).toEqual(upTo(200));
  });

  test('visits of many items at once do not mix, counted or not', async () => {
    const [cache, other] = opened();
    const items = upTo(20).map(freshItem);
    await Promise.all(items.map((item) => cache.putRecord(liveRecord(item))));
    const visits = await Promise.all(
      items.flatMap((item, index) =>
        upTo(index + 2).map(async (number) => ({ index, ...(await cache.visit(item, number % 2 === 0)) })),
      ),
    );
    for (const [index, item] of items.entries()) {
      const own = visits.filter((visit) => visit.index === index);
      expect(own.map(({ record }) => record?.id)).toEqual(own.map(() => item.id));
      expect((await other.visit(item, false)).views).toBe(Math.floor((index + 2) / 2));
    }
  });

  test('counts of both kinds at once add up', async () => {
    const caches = opened();
    const item = freshItem();
    await caches[0].putRecord(liveRecord(item));
    await Promise.all(
      upTo(60).map((number) => {
        const cache = caches[(number % 2) as 0 | 1];
        return number % 3 === 0 ? cache.countViews(item, 2) : cache.visit(item, true);
      }),
    );
    expect((await caches[1].visit(item, false)).views).toBe(20 * 2 + 40);
  });

  test('viewsOf tells many counters in the order asked, none for unknown items, and counts nothing', async () => {
    const [cache, other] = opened();
    const items = upTo(20).map(freshItem);
    for (const [index, item] of items.entries()) {
      if (index % 3 === 1) await cache.putRecord(liveRecord(item));
      if (index % 3 !== 0) await cache.countViews(item, index);
    }
    const expected = items.map((_, index) => (index % 3 === 0 ? 0 : index));
    for (let round = 0; round < 2; round++) expect(await other.viewsOf(items)).toEqual(expected);
    expect(await cache.viewsOf(items.toReversed())).toEqual(expected.toReversed());
    const [third] = items.slice(2);
    if (third === undefined) throw new Error('there are twenty');
    expect(await other.viewsOf([third, freshItem(), third])).toEqual([2, 0, 2]);
  });

  test('viewsOf of nothing is nothing', async () => {
    for (const cache of opened()) expect(await cache.viewsOf([])).toEqual([]);
  });

  test('viewsOf knows neither a removed item nor one that has ended', async () => {
    const [cache, other] = opened();
    const [removed, ended] = [freshItem(), freshItem()];
    for (const item of [removed, ended]) {
      await cache.putRecord(liveRecord(item));
      await cache.visit(item, true);
    }
    expect(await other.viewsOf([removed, ended])).toEqual([1, 1]);
    await cache.putRecord(removedRecord(removed, 2));
    await cache.putRecord(liveRecord(ended, { version: 2, expiresAt: Date.now() + 100 }));
    await until(async () => (await other.visit(ended, false)).record === null);
    expect(await other.viewsOf([removed, ended])).toEqual([0, 0]);
  });
}
