import { expect, test } from 'bun:test';
import { CACHED_VALUE_BYTES, type CachedEntry } from '../../../shared/items/entry.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import {
  type CachePair,
  cachedEntry,
  freshItem,
  kvRecord,
  removedEntry,
  removedRecord,
  until,
} from './fixtures.ts';

const later = (): number => Date.now() + 60_000;
const known = async (cache: Cache, item: ItemRef, key: string): Promise<CachedEntry | null> =>
  (await cache.visitEntry(item, key, false)).entry;

/** Records of keys: the higher sequence wins, and none outlives or changes its store. */
export function entriesContract(opened: () => CachePair): void {
  const openStore = async (): Promise<ItemRef> => {
    const item = freshItem();
    await opened()[0].putRecord(kvRecord(item));
    return item;
  };

  test('a record comes back as it was put, with its item record', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    const itemRecord = kvRecord(item);
    await cache.putRecord(itemRecord);
    expect(await other.visitEntry(item, 'a', false)).toEqual({ record: itemRecord, views: 0, entry: null });
    const record = cachedEntry('a', 7);
    expect(await cache.putEntry(item, record, later())).toBe(true);
    for (const side of opened()) {
      expect(await side.visitEntry(item, 'a', false)).toEqual({
        record: itemRecord,
        views: 0,
        entry: record,
      });
    }
    expect(await known(other, item, 'b')).toBeNull();
  });

  const rule: Array<[what: string, existing: CachedEntry, next: CachedEntry, accepted: boolean]> = [
    ['a higher sequence wins', cachedEntry('k', 5), cachedEntry('k', 6), true],
    ['a lower sequence is refused', cachedEntry('k', 5), cachedEntry('k', 4), false],
    ['9 is lower than 10', cachedEntry('k', 10), cachedEntry('k', 9), false],
    ['the same sequence is accepted', cachedEntry('k', 5), cachedEntry('k', 5), true],
    ['sequences may be large', cachedEntry('k', 2 ** 52), cachedEntry('k', 2 ** 52 + 1), true],
    ['and are compared to the last digit', cachedEntry('k', 2 ** 52), cachedEntry('k', 2 ** 52 - 1), false],
    ['a removed key beats its value', cachedEntry('k', 5), removedEntry('k', 6), true],
    ['a late value does not beat a removal', removedEntry('k', 6), cachedEntry('k', 5), false],
    ['a new value beats a removal', removedEntry('k', 6), cachedEntry('k', 7), true],
  ];
  for (const [what, existing, next, accepted] of rule) {
    test(`of a key, ${what}`, async () => {
      const [cache, other] = opened();
      const item = await openStore();
      await cache.putEntry(item, existing, later());
      expect(await other.putEntry(item, next, later())).toBe(accepted);
      expect(await known(cache, item, 'k')).toEqual(accepted ? next : existing);
    });
  }

  test('of sequences put at once, in any order, the highest stands', async () => {
    const caches = opened();
    const item = await openStore();
    const sequences = [7, 3, 20, 11, 1, 19, 5, 2, 17, 13, 8, 16, 4, 10, 18, 6, 15, 9, 14, 12];
    await Promise.all(
      sequences.map((sequence, index) =>
        caches[(index % 2) as 0 | 1].putEntry(item, cachedEntry('k', sequence), later()),
      ),
    );
    for (const cache of caches) expect(await known(cache, item, 'k')).toEqual(cachedEntry('k', 20));
  });

  test('of puts of one turn each is judged by itself', async () => {
    const [cache, other] = opened();
    const [item, neighbour] = [await openStore(), await openStore()];
    const removed = freshItem();
    await cache.putRecord(removedRecord(removed, 2));
    await cache.putEntry(item, cachedEntry('newer', 9), later());
    const end = later();
    const puts: Array<[ItemRef, CachedEntry, number, boolean]> = [
      [item, cachedEntry('a', 5), end, true],
      [item, cachedEntry('newer', 8), end, false],
      [neighbour, cachedEntry('a', 6), end, true],
      [item, cachedEntry('twice', 5), end, true],
      [item, cachedEntry('twice', 4), end, false],
      [item, cachedEntry('twice', 7), end, true],
      [item, cachedEntry('ended', 5), Date.now() - 1, false],
      [removed, cachedEntry('a', 5), end, false],
      [item, removedEntry('gone', 5), end + 1, true],
    ];
    const accepted = await Promise.all(puts.map(([at, record, until]) => cache.putEntry(at, record, until)));
    expect(accepted).toEqual(puts.map(([, , , expected]) => expected));
    expect(await known(other, item, 'a')).toEqual(cachedEntry('a', 5));
    expect(await known(other, item, 'newer')).toEqual(cachedEntry('newer', 9));
    expect(await known(other, item, 'twice')).toEqual(cachedEntry('twice', 7));
    expect(await known(other, item, 'gone')).toEqual(removedEntry('gone', 5));
    expect(await known(other, item, 'ended')).toBeNull();
    expect(await known(other, neighbour, 'a')).toEqual(cachedEntry('a', 6));
  });

  test('a record is forgotten at its own sequence only', async () => {
    const [cache, other] = opened();
    const item = await openStore();
    const [removed, kept] = [removedEntry('a', 5), cachedEntry('b', 4)];
    for (const record of [removed, kept]) await cache.putEntry(item, record, later());
    for (const sequence of [4, 6, 50]) await other.forgetEntry(item, 'a', sequence);
    expect(await known(cache, item, 'a')).toEqual(removed);
    await other.forgetEntry(item, 'a', 5);
    expect(await known(cache, item, 'a')).toBeNull();
    expect(await known(cache, item, 'b')).toEqual(kept);
    await other.forgetEntry(item, 'a', 5);
    await other.forgetEntry(freshItem(), 'a', 5);
    expect(await cache.putEntry(item, cachedEntry('a', 6), later())).toBe(true);
  });

  test('no record is told without its live item record', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putEntry(item, cachedEntry('k', 5), later());
    expect(await other.visitEntry(item, 'k', true)).toEqual({ record: null, views: 0, entry: null });
    await cache.putRecord(kvRecord(item));
    expect(await known(other, item, 'k')).toEqual(cachedEntry('k', 5));
    await cache.putRecord(removedRecord(item, 2));
    await cache.putEntry(item, cachedEntry('k', 6), later());
    const visit = await other.visitEntry(item, 'k', true);
    expect(visit).toMatchObject({ record: { state: 'removed' }, views: 0, entry: null });
  });

  test('the removal of a store takes all its records along', async () => {
    const [cache, other] = opened();
    const item = await openStore();
    const neighbour = await openStore();
    const keys = ['a', 'b', 'c'];
    for (const key of keys) await cache.putEntry(item, cachedEntry(key, 5), later());
    await cache.putEntry(neighbour, cachedEntry('a', 5), later());
    await other.putRecord(removedRecord(item, 2));
    await cache.putRecord(kvRecord(item, { version: 3 }));
    for (const key of keys) expect(await known(other, item, key)).toBeNull();
    expect(await known(other, neighbour, 'a')).toEqual(cachedEntry('a', 5));
    expect(await cache.putEntry(item, cachedEntry('a', 1), later())).toBe(true);
  });

  test('a store made anew at an address sees no record of the earlier one, however late it comes', async () => {
    const [cache, other] = opened();
    const item = await openStore();
    await cache.putEntry(item, cachedEntry('a', 5), later());
    await other.putRecord(removedRecord(item, 6));
    await cache.putEntry(item, cachedEntry('b', 4), later());
    await other.putRecord(kvRecord(item, { version: 7, code: 'newCode' }));
    await cache.putEntry(item, cachedEntry('c', 5), later());
    for (const key of ['a', 'b', 'c']) expect(await known(other, item, key)).toBeNull();
    for (const key of ['a', 'b', 'c']) {
      const record = { ...cachedEntry(key, 8), store: 'newCode' };
      expect(await cache.putEntry(item, record, later())).toBe(true);
      expect(await other.putEntry(item, cachedEntry(key, 5), later())).toBe(false);
      expect(await known(other, item, key)).toEqual(record);
    }
  });

  test('a refused removal leaves the records', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(kvRecord(item, { version: 5 }));
    await cache.putEntry(item, cachedEntry('k', 4), later());
    expect(await other.putRecord(removedRecord(item, 3))).toBe(false);
    expect(await known(cache, item, 'k')).toEqual(cachedEntry('k', 4));
  });

  test('records end with their store', async () => {
    const [cache, other] = opened();
    const item = await openStore();
    for (const key of ['a', 'b']) await cache.putEntry(item, cachedEntry(key, 5), Date.now() + 200);
    await until(async () => (await known(other, item, 'a')) === null);
    expect(await known(other, item, 'b')).toBeNull();
    expect(await cache.putEntry(item, cachedEntry('a', 1), later())).toBe(true);
    expect(await known(other, item, 'a')).toEqual(cachedEntry('a', 1));
  });

  test('a record of a store that has ended is not kept, and takes none along', async () => {
    const [cache, other] = opened();
    const item = await openStore();
    expect(await cache.putEntry(item, cachedEntry('a', 5), Date.now() - 1)).toBe(false);
    expect(await known(other, item, 'a')).toBeNull();
    await cache.putEntry(item, cachedEntry('a', 5), later());
    expect(await other.putEntry(item, cachedEntry('a', 6), Date.now() - 1)).toBe(false);
    expect(await known(other, item, 'a')).toEqual(cachedEntry('a', 5));
  });

  test('a renewed store keeps its records, also past a put that knew the first end only', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    const firstEnd = Date.now() + 1_000;
    await cache.putRecord(kvRecord(item, { expiresAt: firstEnd }));
    await cache.putEntry(item, cachedEntry('a', 5), firstEnd);
    await other.putRecord(kvRecord(item, { version: 2 }));
    await cache.putEntry(item, cachedEntry('b', 6), firstEnd);
    await Bun.sleep(firstEnd - Date.now() + 50);
    expect(await known(other, item, 'a')).toEqual(cachedEntry('a', 5));
    expect(await known(other, item, 'b')).toEqual(cachedEntry('b', 6));
  });

  test('a store whose life is cut short takes its records along', async () => {
    const [cache, other] = opened();
    const item = await openStore();
    await cache.putEntry(item, cachedEntry('a', 5), later());
    await cache.putRecord(kvRecord(item, { version: 2, expiresAt: Date.now() + 100 }));
    await until(async () => (await other.visit(item, false)).record === null);
    await cache.putRecord(kvRecord(item, { version: 3 }));
    expect(await known(other, item, 'a')).toBeNull();
  });

  test('keys and values may be made of anything, and do not mix', async () => {
    const [cache, other] = opened();
    const item = await openStore();
    const awkward = 'ä😀漢 | 5| "q" \\ \n\r\u2028 {a} }{ %s %1 \u0001';
    const keys = [
      '',
      ' ',
      '|',
      '5|',
      '{',
      '}',
      '{a}',
      'a b',
      'a:b',
      '\n',
      'a\nb',
      'é',
      'e\u0301',
      '漢字',
      '😀',
    ];
    keys.push('__proto__', 'x'.repeat(256), '😀'.repeat(256), awkward);
    const values = ['null', '""', JSON.stringify(awkward), `"${awkward}"`, '{\n  "a": [1, 2]\n}', '-0.10e5'];
    const records = keys.map((key, index) => cachedEntry(key, index + 1, values[index % values.length]));
    await Promise.all(records.map((record) => cache.putEntry(item, record, later())));
    expect(await Promise.all(keys.map((key) => known(other, item, key)))).toEqual(records);
  });

  test('values of the largest size kept come back whole', async () => {
    const [cache, other] = opened();
    const item = await openStore();
    for (const [index, filling] of ['x', '"', '\n', 'ä', '😀'].entries()) {
      const value = filling.repeat(CACHED_VALUE_BYTES / Buffer.byteLength(filling));
      const record = cachedEntry(`k${index}`, index + 1, value);
      await cache.putEntry(item, record, later());
      expect(await known(other, item, record.key)).toEqual(record);
    }
  });
}
