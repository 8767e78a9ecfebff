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
  const inTurn = createTransactionSemaphore({ running: 2, waiting: 1, waitMs: 60_000 }, refuse);
  const works = Array.from({ length: 4 }, openEnded);
  const outcomes = works.map(({ run }) => outcome(inTurn(run)));
  expect(await outcomes[3]).toBe('refused');
  expect(works.map(({ hasBegun }) => hasBegun())).toEqual([true, true, false, false]);
  works[0]?.end();
  await settled();
  expect(works[2]?.hasBegun()).toBe(true);
  const fifth = openEnded();
  const waiting = outcome(inTurn(fifth.run));
  for (const { end } of [...works, fifth]) end();
  expect(await Promise.all([...outcomes.slice(0, 3), waiting])).toEqual(['done', 'done', 'done', 'done']);
});

test('turns come in the order of asking, also after work that fails', async () => {
  const inTurn = createTransactionSemaphore({ running: 1, waiting: 10, waitMs: 60_000 }, refuse);
  const begun: number[] = [];
  const first = openEnded();
  const outcomes = [
    outcome(inTurn(first.run)),
    ...[1, 2, 3].map((n) =>
      outcome(
        inTurn(async () => {
          begun.push(n);
          if (n === 2) throw new Error('failed');
        }),
      ),
    ),
  ];
  first.fail();
  expect(await Promise.all(outcomes)).toEqual(['failed', 'done', 'failed', 'done']);
  expect(begun).toEqual([1, 2, 3]);
  expect(await outcome(inTurn(nothing))).toBe('done');
});

test('who has waited as long as anybody may is refused, and takes no turn', async () => {
  const inTurn = createTransactionSemaphore({ running: 1, waiting: 10, waitMs: 20 }, refuse);
  const [slow, late] = [openEnded(), openEnded()];
  const first = outcome(inTurn(slow.run));
  expect(await outcome(inTurn(late.run))).toBe('refused');
  slow.end();
  expect(await first).toBe('done');
  expect(late.hasBegun()).toBe(false);
  expect(await outcome(inTurn(nothing))).toBe('done');
});

test('after slow work those who would wait too long are refused at once; after quick work they wait again', async () => {
  const inTurn = createTransactionSemaphore({ running: 2, waiting: 10, waitMs: 20 }, refuse);
  const [holding, blocking, next] = [openEnded(), openEnded(), openEnded()];
  // Never without work: that would make it forget.
  const held = outcome(inTurn(holding.run));
  // A mean over eight of this one and nothing, in two turns at once: the next waits 25 ms.
  await inTurn(() => Bun.sleep(400));
  const blocked = outcome(inTurn(blocking.run));
  expect(await Promise.race([outcome(inTurn(nothing)), settled().then(() => 'waits')])).toBe('refused');
  blocking.end();
  await blocked;
  for (let n = 0; n < 10; n++) await inTurn(nothing);
  const running = outcome(inTurn(next.run));
  const behind = outcome(inTurn(nothing));
  next.end();
  holding.end();
  expect(await Promise.all([held, running, behind])).toEqual(['done', 'done', 'done']);
});

test('after slow work and a rest a burst waits: the outage may be over', async () => {
  const inTurn = createTransactionSemaphore({ running: 1, waiting: 10, waitMs: 20 }, refuse);
  await inTurn(() => Bun.sleep(400));
  const burst = Array.from({ length: 11 }, () => outcome(inTurn(nothing)));
  expect(await Promise.all(burst)).toEqual(Array.from({ length: 11 }, () => 'done'));
});
