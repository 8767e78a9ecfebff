import { expect, test } from 'bun:test';
import { type ItemRef, itemKey } from '../../../shared/items/item.ts';
import type { Cache, ChangedViews } from '../../../shared/ports/cache.ts';
import { type CachePair, freshItem, liveRecord, removedRecord, until } from './fixtures.ts';

/** The span of the caches under test: short, so that the tests are. */
export const SHORT_SPAN = { spanMs: 100, graceMs: 50 };
const ALL = 1_000;

/** The cache's report on an item once its span is over. */
async function changed(cache: Cache, item: ItemRef): Promise<ChangedViews> {
  let found: ChangedViews | undefined;
  await until(async () => {
    found = (await cache.changedViews(ALL)).find((one) => itemKey(one) === itemKey(item));
    return found !== undefined;
  });
  if (found === undefined) throw new Error('until found it');
  return found;
}

const isChanged = async (cache: Cache, item: ItemRef): Promise<boolean> =>
  (await cache.changedViews(ALL)).some((one) => itemKey(one) === itemKey(item));

/** Waits for the end of every span so far: then an item that was not viewed is not told of, either. */
async function spanEnds(cache: Cache): Promise<void> {
  const marker = freshItem();
  await cache.countViews(marker, 1);
  await changed(cache, marker);
}

/** Counters that have grown are told until they are saved, and a lost one goes on from what was saved. */
export function savedViewsContract(opened: () => CachePair): void {
  test('an item that was viewed is told of with its counter, by either cache', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item));
    for (let view = 0; view < 3; view++) await cache.visit(item, true);
    await other.visitEntry(item, 'key', true);
    expect(await changed(other, item)).toEqual({
      ...item,
      code: 'aB3dE6g',
      views: 4,
      notedUntil: expect.any(Number),
    });
    expect(await changed(cache, item)).toMatchObject({ views: 4 });
  });

  test('so is one whose views were counted later, and not one that only was looked at', async () => {
    const [cache, other] = opened();
    const [counted, seen, takenBack] = [freshItem(), freshItem(), freshItem()];
    for (const item of [counted, seen, takenBack]) await cache.putRecord(liveRecord(item));
    await cache.countViews(counted, 7);
    await cache.visit(seen, false);
    await cache.countViews(takenBack, -1);
    expect(await changed(other, counted)).toMatchObject({ views: 7 });
    expect(await isChanged(other, seen)).toBe(false);
    expect(await isChanged(other, takenBack)).toBe(false);
  });

  test('it is told of until it is saved, then no more, until it is viewed again', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item));
    await cache.visit(item, true);
    const first = await changed(other, item);
    expect(await changed(cache, item)).toMatchObject({ views: 1 });
    await other.viewsSaved([first]);
    await other.viewsSaved([first]);
    expect(await isChanged(cache, item)).toBe(false);
    await cache.visit(item, true);
    expect(await changed(other, item)).toMatchObject({ views: 2 });
  });

  test('a view between the telling and the saving is told of once more', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item));
    await cache.visit(item, true);
    const first = await changed(other, item);
    await cache.visit(item, true);
    await other.viewsSaved([first]);
    expect(await changed(other, item)).toMatchObject({ views: 2 });
  });

  test('an item that is viewed all the time is told of all the same, and to its last view', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item));
    let views = 0;
    let reading = true;
    const readers = opened().map(async (reader) => {
      while (reading) {
        await reader.visit(item, true);
        views += 1;
        await Bun.sleep(5);
      }
    });
    for (let told = 0; told < 3; told++) await other.viewsSaved([await changed(other, item)]);
    reading = false;
    await Promise.all(readers);
    await spanEnds(cache);
    const final = await changed(other, item);
    expect(final.views).toBe(views);
    await cache.viewsSaved([final]);
    expect(await isChanged(other, item)).toBe(false);
  });

  test('at most as many as asked for are told of, the first in front', async () => {
    const [cache] = opened();
    await spanEnds(cache);
    await cache.viewsSaved(await cache.changedViews(ALL));
    const early = [freshItem(), freshItem(), freshItem()];
    for (const item of early) await cache.countViews(item, 1);
    await Promise.all(early.map((item) => changed(cache, item)));
    const late = freshItem();
    await cache.countViews(late, 1);
    await changed(cache, late);
    expect(await cache.changedViews(2)).toHaveLength(2);
    expect((await cache.changedViews(3)).map(itemKey).sort()).toEqual(early.map(itemKey).sort());
    expect(await cache.changedViews(4)).toHaveLength(4);
    await cache.viewsSaved(await cache.changedViews(3));
    expect((await cache.changedViews(ALL)).map(itemKey)).toEqual([itemKey(late)]);
    await cache.viewsSaved([]);
  });

  test('one that cannot be saved yet is told of later, and until then the others are', async () => {
    const [cache, other] = opened();
    await spanEnds(cache);
    await cache.viewsSaved(await cache.changedViews(ALL));
    const [stuck, saved] = [freshItem(), freshItem()];
    for (const item of [stuck, saved]) await cache.countViews(item, 3);
    await Promise.all([stuck, saved].map((item) => changed(cache, item)));
    const told = await other.changedViews(2);
    await other.viewsSaved(told.filter(({ id }) => id === saved.id));
    await other.deferViews(told, 1_000);
    await cache.countViews(stuck, 1);
    const late = freshItem();
    await cache.countViews(late, 1);
    await changed(other, late);
    expect((await cache.changedViews(1)).map(itemKey)).toEqual([itemKey(late)]);
    expect(await changed(other, stuck)).toMatchObject({ views: 4 });
    expect(await isChanged(cache, saved)).toBe(false);
    await cache.viewsSaved(await cache.changedViews(ALL));
    expect(await isChanged(other, stuck)).toBe(false);
    await cache.deferViews([], 1);
  });

  test('of a removed item there are neither views nor a code; of one without a record there is no code', async () => {
    const [cache, other] = opened();
    const [removed, unknown] = [freshItem(), freshItem()];
    await cache.putRecord(liveRecord(removed));
    await cache.visit(removed, true);
    await other.putRecord(removedRecord(removed, 2));
    await cache.countViews(unknown, 2);
    expect((await changed(other, removed)).views).toBe(0);
    expect(await changed(other, unknown)).toMatchObject({ code: null, views: 2 });
  });

  const seeds: Array<[what: string, counted: number, saved: number | undefined, expected: number]> = [
    ['a lost counter goes on from what was saved', 0, 41, 42],
    ['a counter that is ahead of what was saved stays', 5, 4, 6],
    ['one that is as far stays', 5, 5, 6],
    ['one that is behind is raised', 3, 9, 10],
    ['nothing saved changes nothing', 2, 0, 3],
    ['a record of an earlier release changes nothing', 2, undefined, 3],
  ];
  for (const [what, counted, saved, expected] of seeds) {
    test(what, async () => {
      const [cache, other] = opened();
      const item = freshItem();
      if (counted > 0) {
        await cache.putRecord(liveRecord(item));
        await cache.countViews(item, counted);
      }
      const changes = saved === undefined ? {} : { savedViews: saved };
      await other.putRecord(liveRecord(item, { version: 2, ...changes }));
      expect((await cache.visit(item, true)).views).toBe(expected);
    });
  }

  test('what was counted before the record was known is added to what was saved, once', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.countViews(item, 3);
    await other.countViews(item, 2);
    await cache.putRecord(liveRecord(item, { savedViews: 100 }));
    expect((await other.visit(item, true)).views).toBe(106);
    await cache.putRecord(liveRecord(item, { version: 2, savedViews: 100 }));
    expect((await other.visit(item, true)).views).toBe(107);
  });

  test('a refused record seeds nothing, and neither does a removal', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item, { version: 5 }));
    expect(await other.putRecord(liveRecord(item, { version: 4, savedViews: 50 }))).toBe(false);
    expect((await cache.visit(item, true)).views).toBe(1);
    await other.putRecord(removedRecord(item, 6));
    await cache.putRecord(liveRecord(item, { version: 7, code: 'another', savedViews: 0 }));
    expect((await cache.visit(item, true)).views).toBe(1);
  });

  test('another item under the address begins with what was saved of itself', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item));
    await cache.countViews(item, 30);
    await other.putRecord(liveRecord(item, { version: 3, code: 'another', savedViews: 4 }));
    expect((await cache.visit(item, true)).views).toBe(5);
  });

  test('a seeded counter ends with its item', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(liveRecord(item, { savedViews: 9, expiresAt: Date.now() + 200 }));
    expect(await other.viewsOf([item])).toEqual([9]);
    await until(async () => (await other.viewsOf([item]))[0] === 0);
    await cache.putRecord(liveRecord(item, { version: 2, code: 'another' }));
    expect((await other.visit(item, true)).views).toBe(1);
  });
}
