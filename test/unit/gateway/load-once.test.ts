import { expect, test } from 'bun:test';
import { loadOnce } from '../../../services/gateway/web/fixed-body.ts';

test('what is loaded is loaded once, also for several who ask at the same time', async () => {
  let loads = 0;
  const get = loadOnce(async () => ++loads);
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect(await get()).toBe(1);
});

test('what could not be loaded fails all who wait for it, and is tried again for the next', async () => {
  let loads = 0;
  const get = loadOnce(async () => {
    loads += 1;
    if (loads === 1) throw new Error('not at the first time');
    return loads;
  });
  const waiting = await Promise.allSettled([get(), get()]);
  expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect([await get(), await get()]).toEqual([2, 2]);
});
