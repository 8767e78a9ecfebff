import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createFairBudget, type Holding } from '../../../services/gateway/admission/fair-budget.ts';
import { errors } from '../../../shared/errors.ts';

const refuse = () => errors.refused('uploads');
const REFUSED = { code: 'UNAVAILABLE', retryAfter: 2, isRefusal: true };

/** Whether a promise is still open after the microtasks at hand. */
const isPending = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => false), Bun.sleep(5).then(() => true)]);

/** As many as a holding gets one by one. */
function takeAll(holding: Holding): number {
  let taken = 0;
  while (holding.tryTake(1)) taken += 1;
  return taken;
}

describe('a client may hold as much as is left free', () => {
  test('which is half of it for one alone, over all its requests', () => {
    const budget = createFairBudget({ total: 100, refuse });
    expect(takeAll(budget.open('a'))).toBe(50);
    expect(takeAll(budget.open('a'))).toBe(0);
  });

  test('of which one that takes up to a number gets as much as one by one', () => {
    for (const client of ['a', '2001:db8:1::/64'])
      for (const [total, asked] of [
        [100, 70],
        [101, 70],
        [100, 20],
        [3, 9],
      ] as const) {
        const budget = createFairBudget({ total, refuse });
        const [other, once, single] = [budget.open('other'), budget.open(client), budget.open(client)];
        other.tryTake(1);
        const free = takeAll(single);
        single.release();
        once.takeUpTo(asked);
        expect(takeAll(budget.open(client))).toBe(Math.max(0, free - asked));
      }
  });

  test('and less for each further one, so that ten greedy ones leave room for an eleventh', () => {
    const budget = createFairBudget({ total: 1_100, refuse });
    const holdings = 'abcdefghij'.split('').map((client) => budget.open(client));
    let sum = 0;
    for (let before = -1; before !== sum; ) {
      before = sum;
      for (const holding of holdings) if (holding.tryTake(1)) sum += 1;
    }
    expect(sum).toBe(1_000);
    expect(takeAll(budget.open('k'))).toBe(50);
  });

  test('who had it all before others came gets nothing more, and they get their share', () => {
    const budget = createFairBudget({ total: 100, refuse });
    const greedy = budget.open('a');
    takeAll(greedy);
    expect(takeAll(budget.open('b'))).toBe(25);
    expect(greedy.tryTake(1)).toBe(false);
  });

  test('the clients of one IPv6 /48 hold two thirds together at most; others are none of theirs', () => {
    const budget = createFairBudget({ total: 300, refuse });
    const clients = Array.from({ length: 50 }, (_, n) => budget.open(`2001:db8:1:${n}::/64`));
    expect(clients.reduce((sum, client) => sum + takeAll(client), 0)).toBe(200);
    expect(takeAll(budget.open('2001:db8:2:0::/64'))).toBe(50);
    expect(takeAll(budget.open('192.0.2.1'))).toBe(25);
    for (const client of clients) client.release();
    expect(budget.open('2001:db8:1:7::/64').tryTake(100)).toBe(true);
  });
});

describe('what several clients hold', () => {
  test('takes its room once, and counts in the share of each of them', () => {
    const budget = createFairBudget({ total: 100, refuse });
    const shared = budget.share(30);
    const held = ['a', 'a', 'b'].map((client) => shared.tryTake(client));
    expect(takeAll(budget.open('c'))).toBe(35);
    expect(takeAll(budget.open('b'))).toBe(2);
    for (const giveBack of held.slice(0, 2)) giveBack?.();
    expect(takeAll(budget.open('a'))).toBe(16);
    held[2]?.();
    held[2]?.();
    expect(takeAll(budget.open('d'))).toBe(23);
  });

  test.each([
    [49, true],
    [50, true],
    [51, false],
  ])('of %d a client alone may take it: %p', (amount, isTaken) => {
    const budget = createFairBudget({ total: 100, refuse });
    expect(budget.share(amount).tryTake('a') !== null).toBe(isTaken);
    expect(takeAll(budget.open('b'))).toBe(isTaken ? Math.floor((100 - amount) / 2) : 50);
  });

  test('is there for one that has it already, and not for others above their share', () => {
    const budget = createFairBudget({ total: 100, refuse });
    const [first, second] = [budget.share(20), budget.share(50)];
    expect(first.tryTake('a')).not.toBeNull();
    expect(budget.open('b').tryTake(40)).toBe(true);
    expect(second.tryTake('a')).toBeNull();
    expect(first.tryTake('a')).not.toBeNull();
    expect(first.tryTake('b')).toBeNull();
    expect(first.tryTake('c')).not.toBeNull();
  });

  test('counts once for the clients of one IPv6 /48', () => {
    const budget = createFairBudget({ total: 300, refuse });
    const shared = budget.share(100);
    const held = Array.from({ length: 50 }, (_, n) => shared.tryTake(`2001:db8:1:${n}::/64`));
    expect(held).not.toContain(null);
    expect(budget.share(100).tryTake('2001:db8:1:99::/64')).not.toBeNull();
    expect(budget.share(1).tryTake('2001:db8:1:98::/64')).toBeNull();
    for (const giveBack of held) giveBack?.();
    expect(budget.share(50).tryTake('2001:db8:1:98::/64')).not.toBeNull();
  });

  test('leaves its room to those who wait for it', async () => {
    const budget = createFairBudget({ total: 10, refuse });
    const giveBack = budget.share(5).tryTake('a');
    const waiting = budget.open('a').take(5);
    expect(await isPending(waiting)).toBe(true);
    giveBack?.();
    await waiting;
  });
});

test('who has more than its share may still take nothing: an empty body does not wait', async () => {
  const budget = createFairBudget({ total: 100, refuse, waitMs: 20 });
  takeAll(budget.open('a'));
  takeAll(budget.open('b'));
  await budget.open('a').take(0);
});

test('what is given back is there again, once', () => {
  const budget = createFairBudget({ total: 10, refuse });
  const holding = budget.open('a');
  expect(takeAll(holding)).toBe(5);
  holding.release();
  holding.release();
  expect(holding.tryTake(1)).toBe(false);
  expect(takeAll(budget.open('b'))).toBe(5);
});

test('an amount that is no number leaves the room as it is', async () => {
  const budget = createFairBudget({ total: 10, refuse });
  const holding = budget.open('a');
  for (const amount of [Number.NaN, -1])
    await expect(holding.take(amount)).rejects.toBeInstanceOf(RangeError);
  expect(takeAll(holding)).toBe(5);
});

describe('who finds no room', () => {
  test('waits until some comes free, in the order of coming', async () => {
    const budget = createFairBudget({ total: 10, refuse });
    const first = budget.open('a');
    await first.take(5);
    const [second, third] = [budget.open('a').take(4), budget.open('a').take(2)];
    expect(await isPending(Promise.race([second, third]))).toBe(true);
    first.release();
    await second;
    expect(await isPending(third)).toBe(true);
  });

  test('does not hold up other clients', async () => {
    const budget = createFairBudget({ total: 40, refuse });
    await budget.open('a').take(20);
    const over = Array.from({ length: 50 }, () => budget.open('a').take(1));
    await budget.open('b').take(10);
    expect(await isPending(Promise.race(over))).toBe(true);
  });

  test('is turned away in the end, and then nothing of it stays', async () => {
    const budget = createFairBudget({ total: 40, refuse, waitMs: 20 });
    const holding = budget.open('a');
    await holding.take(20);
    await expect(budget.open('a').take(1)).rejects.toMatchObject(REFUSED);
    await expect(budget.open('b').take(41)).rejects.toMatchObject(REFUSED);
    holding.release();
    expect(takeAll(budget.open('a'))).toBe(20);
  });
});

describe('the reserve', () => {
  test('lets one go on where all would wait for one another, then the next', async () => {
    const budget = createFairBudget({ total: 40, reserve: 10, refuse });
    const done: string[] = [];
    const grow = async (client: string): Promise<void> => {
      const holding = budget.open(client);
      for (let taken = 0; taken < 10; taken++) await holding.take(1);
      done.push(client);
      await Bun.sleep(1);
      holding.release();
    };
    // Together 100 of 40: each gets two before nothing is left.
    await Promise.all('abcdefghij'.split('').map(grow));
    expect(done).toHaveLength(10);
  });

  test('is for one at a time, and for no more than there is of it', async () => {
    const budget = createFairBudget({ total: 20, reserve: 10, refuse, waitMs: 20 });
    const first = budget.open('a');
    await first.take(5);
    await first.take(10);
    await expect(first.take(1)).rejects.toMatchObject(REFUSED);
    await expect(budget.open('a').take(1)).rejects.toMatchObject(REFUSED);
    first.release();
    await budget.open('a').take(10);
  });
});

test('whatever the order, nobody gets more than is left for others and everybody is served', async () => {
  const asked = fc.array(
    fc.record({ amount: fc.integer({ min: 0, max: 20 }), client: fc.constantFrom('a', 'b', 'c') }),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(asked, fc.infiniteStream(fc.nat()), async (requests, choices) => {
      const budget = createFairBudget({ total: 40, refuse });
      const held: Array<{ amount: number; client: string; holding: Holding }> = [];
      let served = 0;
      const waiting = requests.map(async ({ amount, client }) => {
        const holding = budget.open(client);
        await holding.take(amount);
        held.push({ amount, client, holding });
        served++;
      });
      const sumOf = (of: typeof held) => of.reduce((sum, one) => sum + one.amount, 0);
      while (served < requests.length || held.length > 0) {
        await Promise.resolve();
        expect(sumOf(held)).toBeLessThanOrEqual(40);
        for (const client of ['a', 'b', 'c'])
          expect(sumOf(held.filter((one) => one.client === client))).toBeLessThanOrEqual(20);
        const [one] = held.splice((choices.next().value ?? 0) % Math.max(1, held.length), 1);
        one?.holding.release();
      }
      await Promise.all(waiting);
    }),
    { numRuns: 200 },
  );
});
