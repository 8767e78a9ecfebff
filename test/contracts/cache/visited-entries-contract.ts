import { expect, test } from 'bun:test';
import { type CachePair, cachedEntry, freshItem, kvRecord, removedEntry } from './fixtures.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const ascending = (numbers: number[]): number[] => numbers.sort((a, b) => a - b);
const later = (): number => Date.now() + 60_000;

/** Views of keys count for their store: exactly, whoever reads which key at once. */
export function visitedEntriesContract(opened: () => CachePair): void {
  test('each visit of a key counts once for its store, known or not', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(kvRecord(item));
    await cache.putEntry(item, cachedEntry('a', 1), later());
    await cache.putEntry(item, removedEntry('b', 2), later());
    const seen: number[] = [];
    for (const key of ['a', 'b', 'unknown', 'a']) seen.push((await cache.visitEntry(item, key, true)).views);
    expect(seen).toEqual([1, 2, 3, 4]);
    expect((await other.visitEntry(item, 'a', false)).views).toBe(4);
    expect((await other.visit(item, true)).views).toBe(5);
  });

  test('a key of a protected store is not counted, and its record is told', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    await cache.putRecord(kvRecord(item, { passwordHash: 'secret' }));
    await cache.putEntry(item, cachedEntry('a', 1), later());
    const visits = await Promise.all(upTo(5).map(() => other.visitEntry(item, 'a', true)));
    expect(visits).toMatchObject(visits.map(() => ({ views: 0, entry: cachedEntry('a', 1) })));
    expect(await cache.countViews(item, 1)).toBe(1);
  });

  test('200 visits of mixed keys and of the store itself at once each get a number of their own', async () => {
    const caches = opened();
    const item = freshItem();
    const keys = ['a', 'b', 'c d', 'unknown'];
    await caches[0].putRecord(kvRecord(item));
    for (const key of keys.slice(0, 3)) await caches[0].putEntry(item, cachedEntry(key, 1), later());
    const visits = await Promise.all(
      upTo(200).map(async (number) => {
        const cache = caches[(number % 2) as 0 | 1];
        const key = keys[number % 5];
        if (key === undefined) return { key, entry: null, views: (await cache.visit(item, true)).views };
        return { key, ...(await cache.visitEntry(item, key, true)) };
      }),
    );
    expect(ascending(visits.map(({ views }) => views))).toEqual(upTo(200));
    for (const { key, entry } of visits) {
      const isKnown = key !== undefined && key !== 'unknown';
      expect(entry).toEqual(isKnown ? cachedEntry(key, 1) : null);
    }
  });

  test('visits of keys that do not count change no number', async () => {
    const [cache] = opened();
    const item = freshItem();
    await cache.putRecord(kvRecord(item));
    const visits = await Promise.all(
      upTo(100).map((number) => cache.visitEntry(item, `k${number % 3}`, number % 2 === 0)),
    );
    const counted = visits.filter((_, index) => (index + 1) % 2 === 0).map(({ views }) => views);
    expect(ascending(counted)).toEqual(upTo(50));
    expect((await cache.visit(item, false)).views).toBe(50);
  });

  test('equal keys of many stores at once do not mix', async () => {
    const [cache, other] = opened();
    const items = upTo(10).map(freshItem);
    for (const [index, item] of items.entries()) {
      await cache.putRecord(kvRecord(item));
      await cache.putEntry(item, cachedEntry('k', index + 1), later());
    }
    await Promise.all(
      items.flatMap((item, index) =>
        upTo(index + 1).map(async () => {
          const { record, entry } = await other.visitEntry(item, 'k', true);
          expect(record?.id).toBe(item.id);
          expect(entry).toEqual(cachedEntry('k', index + 1));
        }),
      ),
    );
    expect(await cache.viewsOf(items)).toEqual(upTo(10));
  });
}
