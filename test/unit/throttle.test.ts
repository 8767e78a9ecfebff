import { expect, test } from 'bun:test';
import { throttle } from '../../shared/throttle.ts';

test('acts at once, and again only when the time is over', () => {
  let now = 0;
  const acted: number[] = [];
  const act = throttle(
    10,
    () => acted.push(now),
    () => now,
  );
  for (now of [0, 0, 1, 9, 10, 11, 19, 20, 45, 54, 55]) act();
  expect(acted).toEqual([0, 10, 20, 45, 55]);
});
