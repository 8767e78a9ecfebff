import { expect, test } from 'bun:test';
import { createMemoryBudget } from '../../../services/gateway/intake/memory-budget.ts';

/** Whether a promise is still open after the microtasks at hand. */
const isPending = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => false), Bun.sleep(5).then(() => true)]);

test('lets in what there is room for, and the rest when room comes free', async () => {
  const budget = createMemoryBudget(10);
  const release = await budget.acquire(9);
  await budget.acquire(1);
  const waiting = budget.acquire(1);
  expect(await isPending(waiting)).toBe(true);
  release();
  await waiting;
});

test('first come, first served: a small body does not overtake a large one', async () => {
  const budget = createMemoryBudget(10);
  const release = await budget.acquire(6);
  const large = budget.acquire(8);
  const small = budget.acquire(1);
  expect(await isPending(small)).toBe(true);
  release();
  await Promise.all([large, small]);
});

test('a body larger than the whole budget gets all of it', async () => {
  const budget = createMemoryBudget(10);
  const release = await budget.acquire(1_000);
  const waiting = budget.acquire(1);
  expect(await isPending(waiting)).toBe(true);
  release();
  await waiting;
});

test('room given back twice is given back once', async () => {
  const budget = createMemoryBudget(10);
  const release = await budget.acquire(5);
  await budget.acquire(5);
  release();
  release();
  await budget.acquire(5);
  expect(await isPending(budget.acquire(1))).toBe(true);
});

test('who waits too long is turned away, and those behind are let in', async () => {
  const budget = createMemoryBudget(10, 20);
  await budget.acquire(5);
  const large = budget.acquire(10);
  const small = budget.acquire(5);
  const [refused] = await Promise.all([large.catch((error: unknown) => error), small]);
  expect(refused).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 2 });
});
