import { expect, test } from 'bun:test';
import type { Route } from '../../../shared/items/route.ts';
import { type CachePair, freshItem, liveRoute, removedRoute, routesOfEveryKind, until } from './fixtures.ts';

/** Routes: the newer version wins, whoever comes first, and none outlives its item. */
export function routesContract(opened: () => CachePair): void {
  test('an item nobody has put is unknown, and its visit is not counted', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    expect(await cache.visit(item, true)).toEqual({ route: null, views: 0 });
    await cache.putRoute(liveRoute(item));
    expect((await other.visit(item, false)).views).toBe(0);
  });

  test('a route comes back as it was put', async () => {
    const [cache, other] = opened();
    const item = freshItem();
    const route = liveRoute(item);
    expect(await cache.putRoute(route)).toBe(true);
    expect((await cache.visit(item, false)).route).toEqual(route);
    expect((await other.visit(item, false)).route).toEqual(route);
    expect((await other.visit(item, false)).route).toEqual(route);
  });

  test('routes of every kind come back as they were put', async () => {
    const [cache, other] = opened();
    for (const route of routesOfEveryKind()) {
      expect(await cache.putRoute(route)).toBe(true);
      expect((await other.visit(route, false)).route).toEqual(route);
    }
  });

  const item = freshItem();
  const rule: Array<[what: string, standing: Route, next: Route, accepted: boolean]> = [
    ['an older route is refused', liveRoute(item, { version: 5 }), liveRoute(item, { version: 4 }), false],
    ['the same version is accepted', liveRoute(item, { version: 5 }), liveRoute(item, { version: 5 }), true],
    ['a newer route is accepted', liveRoute(item, { version: 5 }), liveRoute(item, { version: 6 }), true],
    ['9 is older than 10', liveRoute(item, { version: 10 }), liveRoute(item, { version: 9 }), false],
    ['a removal beats an older route', liveRoute(item, { version: 5 }), removedRoute(item, 6), true],
    ['a late fill does not beat a removal', removedRoute(item, 6), liveRoute(item, { version: 5 }), false],
    ['an older removal is refused', liveRoute(item, { version: 5 }), removedRoute(item, 4), false],
    ['a newer item beats a removal', removedRoute(item, 6), liveRoute(item, { version: 7 }), true],
    [
      'protection comes with its version',
      liveRoute(item, { version: 5 }),
      liveRoute(item, { version: 6, passwordHash: 'secret' }),
      true,
    ],
  ];
  for (const [what, standing, next, accepted] of rule) {
    test(what, async () => {
      const [cache, other] = opened();
      const own = freshItem();
      await cache.putRoute({ ...standing, ...own });
      expect(await other.putRoute({ ...next, ...own })).toBe(accepted);
      const expected = { ...(accepted ? next : standing), ...own };
      expect((await cache.visit(own, false)).route).toEqual(expected);
    });
  }

  test('of versions put at once, in any order, the newest stands', async () => {
    const own = freshItem();
    const caches = opened();
    const versions = [7, 3, 20, 11, 1, 19, 5, 2, 17, 13, 8, 16, 4, 10, 18, 6, 15, 9, 14, 12];
    await Promise.all(
      versions.map((version, index) => caches[(index % 2) as 0 | 1].putRoute(liveRoute(own, { version }))),
    );
    expect((await caches[0].visit(own, false)).route?.version).toBe(20);
    expect((await caches[1].visit(own, false)).route?.version).toBe(20);
  });

  test('a route and its counter end with the item', async () => {
    const [cache, other] = opened();
    const own = freshItem();
    await cache.countViews(own, 3);
    await cache.putRoute(liveRoute(own, { expiresAt: Date.now() + 300 }));
    await until(async () => (await other.visit(own, true)).route === null);
    expect(await other.visit(own, true)).toEqual({ route: null, views: 0 });
    expect(await cache.putRoute(liveRoute(own, { version: 0 }))).toBe(true);
    expect((await cache.visit(own, true)).views).toBe(1);
  });

  test('a longer life holds for the counter, too', async () => {
    const [cache, other] = opened();
    const own = freshItem();
    const firstEnd = Date.now() + 1_000;
    await cache.putRoute(liveRoute(own, { expiresAt: firstEnd }));
    await cache.visit(own, true);
    await cache.putRoute(liveRoute(own, { version: 2 }));
    await Bun.sleep(firstEnd - Date.now() + 50);
    expect((await other.visit(own, true)).views).toBe(2);
  });

  test('a shorter life holds for the counter, too', async () => {
    const [cache, other] = opened();
    const own = freshItem();
    await cache.putRoute(liveRoute(own));
    await cache.visit(own, true);
    await other.putRoute(liveRoute(own, { version: 2, expiresAt: Date.now() + 100 }));
    await until(async () => (await cache.visit(own, false)).route === null);
    expect(await other.viewsOf([own])).toEqual([0]);
  });

  test('a route that has already ended is not served', async () => {
    const [cache] = opened();
    const own = freshItem();
    await cache.putRoute(liveRoute(own, { expiresAt: Date.now() - 1 }));
    expect(await cache.visit(own, true)).toEqual({ route: null, views: 0 });
  });
}
