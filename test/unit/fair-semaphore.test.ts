import { expect, test } from 'bun:test';
import { createFairSemaphore } from '../../shared/fair-queue.ts';

const LONG_MS = 30_000;

/** A semaphore, and work that holds its permit until `end` is called with its name. */
function heldWork(permits: number, maxWaiting: number) {
  const semaphore = createFairSemaphore(permits, maxWaiting);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    async run(name: string, { client = name, limitMs = LONG_MS } = {}): Promise<string> {
      return await semaphore.run({ client, limitMs, refuse: () => new Error('refused') }, async () => {
        begun.push(name);
        const held = Promise.withResolvers<void>();
        ends.set(name, held.resolve);
        await held.promise;
        return name;
      });
    },
    end: (name: string) => ends.get(name)?.(),
  };
}

test('so much work is done at once, and the next begins as soon as one has ended', async () => {
  const { run, end, begun } = heldWork(2, 10);
  const [first, second, third] = [run('first'), run('second'), run('third')];
  await Bun.sleep(20);
  expect(begun).toEqual(['first', 'second']);
  end('first');
  expect(await first).toBe('first');
  await Bun.sleep(0);
  expect(begun).toEqual(['first', 'second', 'third']);
  end('second');
  end('third');
  expect(await Promise.all([second, third])).toEqual(['second', 'third']);
});

test('work that fails gives its permit back', async () => {
  const semaphore = createFairSemaphore(1, 10);
  const turn = { client: 'a', limitMs: LONG_MS, refuse: () => new Error('refused') };
  await expect(semaphore.run(turn, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await semaphore.run(turn, async () => 'done')).toBe('done');
});

test('a client that comes later goes before what another one has waiting', async () => {
  const semaphore = createFairSemaphore(1, 10);
  const order: string[] = [];
  const work = (client: string): Promise<void> =>
    semaphore.run({ client, limitMs: LONG_MS, refuse: () => new Error('refused') }, async () => {
      order.push(client);
      await Bun.sleep(5);
    });
  const heavy = Array.from({ length: 5 }, () => work('heavy'));
  await Promise.all([...heavy, work('light')]);
  expect(order).toEqual(['heavy', 'light', 'heavy', 'heavy', 'heavy', 'heavy']);
});

test('a client may wait half as often as all together; work that is turned away takes no place', async () => {
  const { run, end } = heldWork(1, 4);
  const held = run('held', { client: 'a' });
  const waiting = [run('a1', { client: 'a' }), run('a2', { client: 'a' })];
  await expect(run('a3', { client: 'a' })).rejects.toThrow('refused');
  waiting.push(run('b'), run('c'));
  await expect(run('d')).rejects.toThrow('refused');
  end('held');
  await held;
  const ended: string[] = [];
  for (const work of waiting) work.then((name) => ended.push(name));
  while (ended.length < waiting.length) {
    for (const name of ['a1', 'a2', 'b', 'c']) end(name);
    await Bun.sleep(1);
  }
  expect(ended.toSorted()).toEqual(['a1', 'a2', 'b', 'c']);
});

test('work that has waited too long is not begun, and is out of the queue', async () => {
  const { run, end, begun } = heldWork(1, 2);
  const held = run('held', { client: 'a' });
  await expect(run('late', { client: 'a', limitMs: 5 })).rejects.toThrow('refused');
  const next = run('next', { client: 'a' });
  end('held');
  await held;
  await Bun.sleep(0);
  expect(begun).toEqual(['held', 'next']);
  end('next');
  expect(await next).toBe('next');
});
