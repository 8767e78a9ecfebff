import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createMemoryBudget } from '../../../services/gateway/intake/memory-budget.ts';
import { errors } from '../../../shared/errors.ts';

const refuse = () => errors.refused('uploads');

/** Whether a promise is still open after the microtasks at hand. */
const isPending = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => false), Bun.sleep(5).then(() => true)]);

test('lets in what there is room for, and the rest when room comes free', async () => {
  const budget = createMemoryBudget(10, { refuse });
  const release = await budget.acquire(9, 'a');
  await budget.acquire(1, 'b');
  const waiting = budget.acquire(1, 'c');
  expect(await isPending(waiting)).toBe(true);
  release();
  await waiting;
});

test('first come, first served: a small body does not overtake a large one', async () => {
  const budget = createMemoryBudget(10, { refuse });
  const release = await budget.acquire(6, 'a');
  const large = budget.acquire(8, 'b');
  const small = budget.acquire(1, 'c');
  expect(await isPending(small)).toBe(true);
  release();
  await Promise.all([large, small]);
});

test('a size that is no number leaves the room as it is', async () => {
  const budget = createMemoryBudget(10, { refuse, waitMs: 20 });
  for (const bytes of [Number.NaN, -1])
    await expect(budget.acquire(bytes, 'a')).rejects.toBeInstanceOf(RangeError);
  const release = await budget.acquire(10, 'b');
  await expect(budget.acquire(1, 'a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  release();
  (await budget.acquire(10, 'a'))();
});

test('a body larger than the whole budget gets all of it', async () => {
  const budget = createMemoryBudget(10, { refuse });
  const release = await budget.acquire(1_000, 'a');
  const waiting = budget.acquire(1, 'b');
  expect(await isPending(waiting)).toBe(true);
  release();
  await waiting;
});

test('room given back twice is given back once', async () => {
  const budget = createMemoryBudget(10, { refuse });
  const release = await budget.acquire(5, 'a');
  await budget.acquire(5, 'b');
  release();
  release();
  await budget.acquire(5, 'c');
  expect(await isPending(budget.acquire(1, 'd'))).toBe(true);
});

test('who waits too long is turned away, and those behind are let in', async () => {
  const budget = createMemoryBudget(10, { refuse, waitMs: 20 });
  await budget.acquire(5, 'a');
  const large = budget.acquire(10, 'b');
  const small = budget.acquire(5, 'c');
  const [refused] = await Promise.all([large.catch((error: unknown) => error), small]);
  expect(refused).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 2, isRefusal: true });
});

test('a client may hold a quarter, and not one byte more', async () => {
  const budget = createMemoryBudget(40, { refuse });
  await budget.acquire(4, 'a');
  await budget.acquire(6, 'a');
  expect(await isPending(budget.acquire(1, 'a'))).toBe(true);
  await budget.acquire(10, 'b');
});

test('a body larger than the share is held alone', async () => {
  const budget = createMemoryBudget(40, { refuse });
  const release = await budget.acquire(25, 'a');
  const second = budget.acquire(1, 'a');
  expect(await isPending(second)).toBe(true);
  release();
  const releaseSecond = await second;
  const large = budget.acquire(25, 'a');
  expect(await isPending(large)).toBe(true);
  releaseSecond();
  await large;
});

test('who is over the share waits without holding up other clients', async () => {
  const budget = createMemoryBudget(40, { refuse });
  const release = await budget.acquire(10, 'a');
  const over = Array.from({ length: 50 }, () => budget.acquire(2, 'a'));
  await Promise.all([budget.acquire(10, 'b'), budget.acquire(10, 'c')]);
  expect(await isPending(Promise.race(over))).toBe(true);
  release();
  await Promise.all(over.slice(0, 5));
  expect(await isPending(Promise.race(over.slice(5)))).toBe(true);
});

test('the small bodies of a client do not overtake its own large one', async () => {
  const budget = createMemoryBudget(40, { refuse });
  const releases = [await budget.acquire(5, 'a'), await budget.acquire(4, 'a')];
  const large = budget.acquire(10, 'a');
  const small = budget.acquire(1, 'a');
  expect(await isPending(small)).toBe(true);
  releases[0]?.();
  expect(await isPending(Promise.race([large, small]))).toBe(true);
  releases[1]?.();
  const releaseLarge = await large;
  expect(await isPending(small)).toBe(true);
  releaseLarge();
  await small;
});

test('who waited in the share of its client comes before who came later', async () => {
  const budget = createMemoryBudget(40, { refuse });
  const releaseA = await budget.acquire(10, 'a');
  await Promise.all([budget.acquire(10, 'b'), budget.acquire(10, 'c')]);
  const waitingA = budget.acquire(10, 'a');
  const releaseD = await budget.acquire(10, 'd');
  const waitingE = budget.acquire(10, 'e');
  releaseA();
  await waitingA;
  expect(await isPending(waitingE)).toBe(true);
  releaseD();
  await waitingE;
});

test('turned away over the share: the same error, and nothing stays held', async () => {
  const budget = createMemoryBudget(40, { refuse, waitMs: 20 });
  const release = await budget.acquire(10, 'a');
  await expect(budget.acquire(1, 'a')).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    retryAfter: 2,
    isRefusal: true,
  });
  release();
  await budget.acquire(10, 'a');
});

test('whatever the order, nobody holds too much and everybody is served', async () => {
  const asked = fc.array(
    fc.record({ bytes: fc.integer({ min: 0, max: 45 }), client: fc.constantFrom('a', 'b', 'c') }),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(asked, fc.infiniteStream(fc.nat()), async (bodies, choices) => {
      const budget = createMemoryBudget(40, { refuse });
      const held: Array<{ bytes: number; client: string; release: () => void }> = [];
      let served = 0;
      const waiting = bodies.map(async ({ bytes, client }) => {
        const release = await budget.acquire(bytes, client);
        held.push({ bytes: Math.min(bytes, 40), client, release });
        served++;
        const sum = (of: typeof held) => of.reduce((total, one) => total + one.bytes, 0);
        const own = held.filter((one) => one.client === client);
        expect(sum(held)).toBeLessThanOrEqual(40);
        if (own.filter((one) => one.bytes > 0).length > 1) expect(sum(own)).toBeLessThanOrEqual(10);
      });
      while (served < bodies.length || held.length > 0) {
        await Promise.resolve();
        if (held.length === 0) continue;
        const [one] = held.splice((choices.next().value ?? 0) % held.length, 1);
        one?.release();
      }
      await Promise.all(waiting);
    }),
    { numRuns: 200 },
  );
});
