import { expect, test } from 'bun:test';
import type { ItemRecord } from '../../../shared/items/item-record.ts';
import {
  type CachePair,
  freshItem,
  liveRecord,
  recordsOfEveryKind,
  removedRecord,
  until,
} from './fixtures.ts';

/** Records: the newer version wins, whoever comes first, and none outlives its item. */
export function recordsContract(opened: () => CachePair): void {
  test('an item nobody has put is unknown, and its visit is not counted', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    expect(await cache.visit(item, true)).toEqual({ record: null, views: 0 });
    await cache.putRecord(liveRecord(item));
    expect((await other.visit(item, false)).views).toBe(0);
  });

  test('a record comes back as it was put', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    const record = liveRecord(item);
    expect(await cache.putRecord(record)).toBe(true);
    expect((await cache.visit(item, false)).record).toEqual(record);
    expect((await other.visit(item, false)).record).toEqual(record);
    expect((await other.visit(item, false)).record).toEqual(record);
  });

  test('the item at a host is known wherever it was told, until it is forgotten', async () => {
    const [cache, other] = opened();
    const { namespace, id } = freshItem();
    const host = `host-of-${id}`;
    expect(await other.itemAtHost(host)).toBeNull();
    await cache.keepHost(host, { namespace, id });
    expect(await other.itemAtHost(host)).toEqual({ namespace, id });
    expect(await cache.itemAtHost(`${host}x`)).toBeNull();
    await other.forgetHost(`${host}x`);
    expect(await cache.itemAtHost(host)).toEqual({ namespace, id });
    await other.forgetHost(host);
    for (const one of [cache, other]) expect(await one.itemAtHost(host)).toBeNull();
  });

  test('records of every kind come back as they were put', async () => {
    const [cache, other] = opened();
    for (const record of recordsOfEveryKind()) {
      expect(await cache.putRecord(record)).toBe(true);
      expect((await other.visit(record, false)).record).toEqual(record);
    }
  });

  const item = freshItem();
  const rule: Array<[what: string, stored: ItemRecord, next: ItemRecord, accepted: boolean]> = [
    ['an older record is refused', liveRecord(item, { version: 5 }), liveRecord(item, { version: 4 }), false],
    [
      'the same version is accepted',
      liveRecord(item, { version: 5 }),
      liveRecord(item, { version: 5 }),
      true,
    ],
    ['a newer record is accepted', liveRecord(item, { version: 5 }), liveRecord(item, { version: 6 }), true],
    ['9 is older than 10', liveRecord(item, { version: 10 }), liveRecord(item, { version: 9 }), false],
    ['a removal beats an older record', liveRecord(item, { version: 5 }), removedRecord(item, 6), true],
    ['a late fill does not beat a removal', removedRecord(item, 6), liveRecord(item, { version: 5 }), false],
    ['an older removal is refused', liveRecord(item, { version: 5 }), removedRecord(item, 4), false],
    ['a newer item beats a removal', removedRecord(item, 6), liveRecord(item, { version: 7 }), true],
    [
      'protection comes with its version',
      liveRecord(item, { version: 5 }),
      liveRecord(item, { version: 6, passwordHash: 'secret' }),
      true,
    ],
  ];
  for (const [what, stored, next, accepted] of rule) {
    test(what, async () => {
      const [cache, other] = opened();
      const own = freshItem();
      await cache.putRecord({ ...stored, ...own });
      expect(await other.putRecord({ ...next, ...own })).toBe(accepted);
      const expected = { ...(accepted ? next : stored), ...own };
      expect((await cache.visit(own, false)).record).toEqual(expected);
    });
  }

  test('of versions put at once, in any order, the newest stands', async () => {
    const own = freshItem();
    const caches = opened();
    const versions = [7, 3, 20, 11, 1, 19, 5, 2, 17, 13, 8, 16, 4, 10, 18, 6, 15, 9, 14, 12];
    await Promise.all(
      versions.map((version, index) => caches[(index % 2) as 0 | 1].putRecord(liveRecord(own, { version }))),
    );
    expect((await caches[0].visit(own, false)).record?.version).toBe(20);
    expect((await caches[1].visit(own, false)).record?.version).toBe(20);
  });

  test('a record and its counter end with the item', async () => {
    const [cache, other] = opened();
    const own = freshItem();
    await cache.countViews(own, 3);
    await cache.putRecord(liveRecord(own, { expiresAt: Date.now() + 300 }));
    await until(async () => (await other.visit(own, true)).record === null);
    expect(await other.visit(own, true)).toEqual({ record: null, views: 0 });
    expect(await cache.putRecord(liveRecord(own, { version: 0 }))).toBe(true);
    expect((await cache.visit(own, true)).views).toBe(1);
  });

  test('a longer life holds for the counter, too', async () => {
    const [cache, other] = opened();
    const own = freshItem();
    const firstEnd = Date.now() + 1_000;
    await cache.putRecord(liveRecord(own, { expiresAt: firstEnd }));
    await cache.visit(own, true);
    await cache.putRecord(liveRecord(own, { version: 2 }));
    await Bun.sleep(firstEnd - Date.now() + 50);
    expect((await other.visit(own, true)).views).toBe(2);
  });

  test('a shorter life holds for the counter, too', async () => {
    const [cache, other] = opened();
    const own = freshItem();
    await cache.putRecord(liveRecord(own));
    await cache.visit(own, true);
    await other.putRecord(liveRecord(own, { version: 2, expiresAt: Date.now() + 100 }));
    await until(async () => (await cache.visit(own, false)).record === null);
    expect(await other.viewsOf([own])).toEqual([0]);
  });

  test('a record that has already ended is not served', async () => {
    const [cache] = opened();
    const own = freshItem();
    await cache.putRecord(liveRecord(own, { expiresAt: Date.now() - 1 }));
    expect(await cache.visit(own, true)).toEqual({ record: null, views: 0 });
  });
}
