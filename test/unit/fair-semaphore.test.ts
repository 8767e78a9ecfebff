import { expect, test } from 'bun:test';
import { createFairSemaphore } from '../../shared/fair-queue.ts';

const LONG_MS = 30_000;

test('there are so many permits at once, and one that is given back is taken by who waits', async () => {
  const permits = createFairSemaphore(2, 10);
  const [first, second] = [await permits.acquire('a', 0), await permits.acquire('a', 0)];
  const third = permits.acquire('a', LONG_MS);
  expect(await Promise.race([third, Bun.sleep(20)])).toBeUndefined();
  first?.();
  expect(await third).toBeFunction();
  expect(await permits.acquire('a', 10)).toBeNull();
  second?.();
  expect(await permits.acquire('a', LONG_MS)).toBeFunction();
});

test('a client that comes later goes before what another one has waiting', async () => {
  const permits = createFairSemaphore(1, 10);
  const order: string[] = [];
  const work = async (client: string): Promise<void> => {
    const giveBack = await permits.acquire(client, LONG_MS);
    order.push(client);
    await Bun.sleep(5);
    giveBack?.();
  };
  const heavy = Array.from({ length: 5 }, () => work('heavy'));
  await Promise.all([...heavy, work('light')]);
  expect(order).toEqual(['heavy', 'light', 'heavy', 'heavy', 'heavy', 'heavy']);
});

test('a client may wait half as often as all together; who is turned away takes no place', async () => {
  const permits = createFairSemaphore(1, 4);
  const held = await permits.acquire('a', 0);
  const ask = (client: string) => permits.acquire(client, LONG_MS);
  const waiting = [ask('a'), ask('a')];
  expect(await ask('a')).toBeNull();
  waiting.push(ask('b'), ask('c'));
  expect(await ask('d')).toBeNull();
  held?.();
  for (const permit of waiting) permit.then((giveBack) => giveBack?.());
  expect((await Promise.all(waiting)).every((giveBack) => giveBack !== null)).toBe(true);
  expect(await ask('a')).toBeFunction();
});

test('who has waited too long is out of the queue', async () => {
  const permits = createFairSemaphore(1, 2);
  const held = await permits.acquire('a', 0);
  expect(await permits.acquire('a', 5)).toBeNull();
  const next = permits.acquire('a', LONG_MS);
  held?.();
  expect(await next).toBeFunction();
});
