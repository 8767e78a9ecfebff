import { expect, test } from 'bun:test';
import { createTransactionSemaphore } from '../../shared/adapters/database/transaction-semaphore.ts';

const refuse = () => new Error('refused');

/** Work that ends when it is told to. */
function openEnded() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let hasBegun = false;
  return {
    run: () => {
      hasBegun = true;
      return promise;
    },
    hasBegun: () => hasBegun,
    end: resolve,
    fail: () => reject(new Error('failed')),
  };
}

const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: Error) => error.message,
  );

const settled = () => Bun.sleep(0);
const nothing = async (): Promise<void> => undefined;

test('so many run, so many more wait, and the next is refused at once', async () => {
  const withPermit = createTransactionSemaphore({ running: 2, waiting: 1, waitMs: 60_000 }, refuse);
  const works = Array.from({ length: 4 }, openEnded);
  const outcomes = works.map(({ run }) => outcome(withPermit(run)));
  expect(await outcomes[3]).toBe('refused');
  expect(works.map(({ hasBegun }) => hasBegun())).toEqual([true, true, false, false]);
  works[0]?.end();
  await settled();
  expect(works[2]?.hasBegun()).toBe(true);
  const fifth = openEnded();
  const waiting = outcome(withPermit(fifth.run));
  for (const { end } of [...works, fifth]) end();
  expect(await Promise.all([...outcomes.slice(0, 3), waiting])).toEqual(['done', 'done', 'done', 'done']);
});

test('permits are granted in the order of asking, also after work that fails', async () => {
  const withPermit = createTransactionSemaphore({ running: 1, waiting: 10, waitMs: 60_000 }, refuse);
  const begun: number[] = [];
  const first = openEnded();
  const outcomes = [
    outcome(withPermit(first.run)),
    ...[1, 2, 3].map((n) =>
      outcome(
        withPermit(async () => {
          begun.push(n);
          if (n === 2) throw new Error('failed');
        }),
      ),
    ),
  ];
  first.fail();
  expect(await Promise.all(outcomes)).toEqual(['failed', 'done', 'failed', 'done']);
  expect(begun).toEqual([1, 2, 3]);
  expect(await outcome(withPermit(nothing))).toBe('done');
});

test('a waiter that reaches its limit is refused, and takes no permit', async () => {
  const withPermit = createTransactionSemaphore({ running: 1, waiting: 10, waitMs: 20 }, refuse);
  const [slow, late] = [openEnded(), openEnded()];
  const first = outcome(withPermit(slow.run));
  expect(await outcome(withPermit(late.run))).toBe('refused');
  slow.end();
  expect(await first).toBe('done');
  expect(late.hasBegun()).toBe(false);
  expect(await outcome(withPermit(nothing))).toBe('done');
});

test('after slow work those who would wait too long are refused at once; after quick work they wait again', async () => {
  const withPermit = createTransactionSemaphore({ running: 2, waiting: 10, waitMs: 20 }, refuse);
  const [holding, blocking, next] = [openEnded(), openEnded(), openEnded()];
  // Never without work: that would make it forget.
  const held = outcome(withPermit(holding.run));
  // A mean over eight of this one and nothing, on two permits: the next waits 25 ms.
  await withPermit(() => Bun.sleep(400));
  const blocked = outcome(withPermit(blocking.run));
  expect(await Promise.race([outcome(withPermit(nothing)), settled().then(() => 'waits')])).toBe('refused');
  blocking.end();
  await blocked;
  for (let n = 0; n < 10; n++) await withPermit(nothing);
  const running = outcome(withPermit(next.run));
  const behind = outcome(withPermit(nothing));
  next.end();
  holding.end();
  expect(await Promise.all([held, running, behind])).toEqual(['done', 'done', 'done']);
});

test('after slow work and a rest a burst waits: the outage may be over', async () => {
  const withPermit = createTransactionSemaphore({ running: 1, waiting: 10, waitMs: 20 }, refuse);
  await withPermit(() => Bun.sleep(400));
  const burst = Array.from({ length: 11 }, () => outcome(withPermit(nothing)));
  expect(await Promise.all(burst)).toEqual(Array.from({ length: 11 }, () => 'done'));
});
