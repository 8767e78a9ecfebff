import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createTickBatch } from '../../../shared/adapters/cache/tick-batch.ts';

test('equal keys become one entry with the sum, in the order of their first call', () => {
  const batch = createTickBatch<number>();
  for (const [key, amount] of [
    ['b', 1],
    ['a', 2],
    ['b', 3],
    ['c', 0],
    ['a', -1],
  ] as const) {
    void batch.add(key, amount);
  }
  expect(batch.take().entries).toEqual([
    { key: 'b', amount: 4 },
    { key: 'a', amount: 1 },
    { key: 'c', amount: 0 },
  ]);
  expect(batch.take().entries).toEqual([]);
});

test('each waiter learns the shared result and its own place', async () => {
  const batch = createTickBatch<string>();
  const waiting = [batch.add('a', 1), batch.add('a', 0), batch.add('a', 2), batch.add('b', 5)];
  const { settle } = batch.take();
  settle([{ value: 'A' }, { value: 'B' }]);
  expect(await Promise.all(waiting)).toEqual([
    { result: 'A', amount: 1, upTo: 1, total: 3 },
    { result: 'A', amount: 0, upTo: 1, total: 3 },
    { result: 'A', amount: 2, upTo: 3, total: 3 },
    { result: 'B', amount: 5, upTo: 5, total: 5 },
  ]);
});

test('a failure reaches the waiters of its key alone', async () => {
  const batch = createTickBatch<string>();
  const waiting = [batch.add('a', 1), batch.add('b', 1), batch.add('a', 1)];
  batch.take().settle([{ error: new Error('lost') }, { value: 'B' }]);
  const [first, other, second] = await Promise.allSettled(waiting);
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'lost' } });
  expect(second).toMatchObject({ status: 'rejected', reason: { message: 'lost' } });
  expect(other).toMatchObject({ status: 'fulfilled', value: { result: 'B' } });
});

test('a result that is missing is a failure: nobody waits for ever', async () => {
  const batch = createTickBatch<string>();
  const waiting = [batch.add('a', 1), batch.add('b', 1)];
  batch.take().settle([{ value: 'A' }]);
  const [known, missing] = await Promise.allSettled(waiting);
  expect(known?.status).toBe('fulfilled');
  expect(missing?.status).toBe('rejected');
});

test('what comes after a take belongs to the next one', async () => {
  const batch = createTickBatch<string>();
  const early = batch.add('a', 1);
  const first = batch.take();
  const late = batch.add('a', 1);
  const second = batch.take();
  expect([first.entries, second.entries]).toEqual([[{ key: 'a', amount: 1 }], [{ key: 'a', amount: 1 }]]);
  second.settle([{ value: 'second' }]);
  first.settle([{ value: 'first' }]);
  expect([(await early).result, (await late).result]).toEqual(['first', 'second']);
});

test('counted in batches, every caller gets the number it would have got alone', async () => {
  const calls = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b', 'c'), amount: fc.integer({ min: 0, max: 3 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(calls, { maxLength: 6 }), async (turns) => {
      const batched = new Map<string, number>();
      const alone = new Map<string, number>();
      const add = (totals: Map<string, number>, key: string, amount: number): number => {
        const total = (totals.get(key) ?? 0) + amount;
        totals.set(key, total);
        return total;
      };
      const batch = createTickBatch<number>();
      for (const turn of turns) {
        const waiting = turn.map(({ key, amount }) => batch.add(key, amount));
        const { entries, settle } = batch.take();
        settle(entries.map(({ key, amount }) => ({ value: add(batched, key, amount) })));
        const numbers = (await Promise.all(waiting)).map(({ result, total, upTo }) => result - total + upTo);
        expect(numbers).toEqual(turn.map(({ key, amount }) => add(alone, key, amount)));
      }
    }),
  );
});
