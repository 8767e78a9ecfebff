import { expect, test } from 'bun:test';
import { nanoid } from 'nanoid';
import type { WindowRule } from '../../../shared/ports/cache.ts';
import { type CachePair, TEST_PREFIX, until } from './fixtures.ts';

const RULE: WindowRule = { name: 'contract', limit: 5, seconds: 60 };
const freshKey = (): string => `${TEST_PREFIX}:${nanoid()}`;

/** Rate-limit windows: exact, whoever hits at once. */
export function windowsContract(opened: () => CachePair): void {
  test('hits are counted one by one, also above the limit', async () => {
    const [cache, other] = opened();
    const key = freshKey();
    for (let hit = 1; hit <= 8; hit++) {
      const state = await (hit % 2 === 0 ? cache : other).hit(RULE, key);
      expect(state.hits).toBe(hit);
      expect(state.resetMs).toBeGreaterThan(0);
      expect(state.resetMs).toBeLessThanOrEqual(RULE.seconds * 1000);
    }
  });

  test('100 hits at once each get a number of their own', async () => {
    const caches = opened();
    const key = freshKey();
    const states = await Promise.all(
      Array.from({ length: 100 }, (_, index) => caches[(index % 2) as 0 | 1].hit(RULE, key)),
    );
    const hits = states.map((state) => state.hits).sort((a, b) => a - b);
    expect(hits).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  test('several hits counted together get the numbers up to the last', async () => {
    const [cache, other] = opened();
    const key = freshKey();
    expect((await cache.hit(RULE, key, 3)).hits).toBe(3);
    const states = await Promise.all([2, 1, 4].map((times) => other.hit(RULE, key, times)));
    expect(states.map(({ hits }) => hits)).toEqual([5, 6, 10]);
    expect((await cache.peek(RULE, key)).hits).toBe(10);
  });

  test('a window ends, and the next hit is the first of a new one', async () => {
    const [cache, other] = opened();
    const rule = { ...RULE, seconds: 1 };
    const key = freshKey();
    await cache.hit(rule, key);
    await cache.hit(rule, key);
    await until(async () => (await other.peek(rule, key)).hits === 0);
    expect((await other.hit(rule, key)).hits).toBe(1);
  });

  test('a hit that was given back does not count, and there is never less than none', async () => {
    const [cache, other] = opened();
    const key = freshKey();
    for (let round = 0; round < 3; round++) await cache.hit(RULE, key);
    await other.giveBack(RULE, key);
    expect((await cache.peek(RULE, key)).hits).toBe(2);
    expect((await cache.hit(RULE, key)).hits).toBe(3);
    for (let round = 0; round < 5; round++) await cache.giveBack(RULE, key);
    expect((await other.peek(RULE, key)).hits).toBe(0);
    expect((await other.hit(RULE, key)).hits).toBe(1);
    const never = freshKey();
    await cache.giveBack(RULE, never);
    expect((await cache.hit(RULE, never)).hits).toBe(1);
  });

  test('hits and returns at once add up', async () => {
    const caches = opened();
    const key = freshKey();
    for (let round = 0; round < 10; round++) await caches[0].hit(RULE, key);
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => {
        const cache = caches[(index % 2) as 0 | 1];
        return index % 3 === 0 ? cache.giveBack(RULE, key) : cache.hit(RULE, key);
      }),
    );
    expect((await caches[1].peek(RULE, key)).hits).toBe(20);
  });

  test('a look neither counts nor opens a window', async () => {
    const [cache, other] = opened();
    const key = freshKey();
    const none = { hits: 0, resetMs: RULE.seconds * 1000 };
    expect(await cache.peek(RULE, key)).toEqual(none);
    await Bun.sleep(5);
    expect(await other.peek(RULE, key)).toEqual(none);
    await cache.hit(RULE, key);
    const [look, hit] = await Promise.all([cache.peek(RULE, key), cache.hit(RULE, key)]);
    expect(look.hits).toBe(1);
    expect(hit.hits).toBe(2);
  });

  test('names, lengths and keys do not mix, whatever a key is made of', async () => {
    const [cache, other] = opened();
    const key = freshKey();
    const rules = [RULE, { ...RULE, name: 'other' }, { ...RULE, seconds: 61 }];
    const keys = ['', '|', ':', '60:contract', 'a b', '{a}', '}{', 'a\nb', 'ä😀', '::1', 'x'.repeat(300)];
    const windows = rules.flatMap((rule) => keys.map((end) => ({ rule, key: `${key}${end}` })));
    for (const [index, window] of windows.entries()) {
      await Promise.all(Array.from({ length: (index % 5) + 1 }, () => cache.hit(window.rule, window.key)));
    }
    const seen = await Promise.all(windows.map((window) => other.peek(window.rule, window.key)));
    expect(seen.map(({ hits }) => hits)).toEqual(windows.map((_, index) => (index % 5) + 1));
  });
}
