import { expect, test } from 'bun:test';
import { createFairQueue, type Queued } from '../../shared/fair-queue.ts';

interface Job extends Queued {
  readonly name: string;
}

const jobs = (client: string, count: number, size = 1): Job[] =>
  Array.from({ length: count }, (_, n) => ({ client, size, name: `${client}${n + 1}` }));

function queueOf(all: Job[], bounds = { count: 100, size: 1_000 }) {
  const queue = createFairQueue<Job>(bounds);
  const refused = all.filter((job) => !queue.add(job)).map(({ name }) => name);
  /** Takes one job after another, each of which takes as long as its client's do. */
  const takeAll = (tookMs: Record<string, number> = {}): string[] => {
    const names: string[] = [];
    for (let job = queue.take(); job; job = queue.take()) {
      names.push(job.name);
      queue.ended(job, tookMs[job.client] ?? 10);
    }
    return names;
  };
  return { queue, refused, takeAll };
}

test('jobs of one client come in their order', () => {
  expect(queueOf(jobs('a', 4)).takeAll()).toEqual(['a1', 'a2', 'a3', 'a4']);
});

test('clients take turns, whoever came first', () => {
  const { takeAll } = queueOf([...jobs('a', 4), ...jobs('b', 2), ...jobs('c', 1)]);
  expect(takeAll()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('turns are counted by time: one costly job is worth many cheap ones', () => {
  const { takeAll } = queueOf([...jobs('costly', 3), ...jobs('cheap', 5)]);
  expect(takeAll({ costly: 100, cheap: 30 })).toEqual([
    ...['costly1', 'cheap1', 'cheap2', 'cheap3', 'cheap4', 'costly2', 'cheap5', 'costly3'],
  ]);
});

test('whoever has fewer jobs under way is next', () => {
  const { queue } = queueOf([...jobs('a', 3), ...jobs('b', 1)]);
  expect([queue.take()?.name, queue.take()?.name, queue.take()?.name]).toEqual(['a1', 'b1', 'a2']);
});

test('a client that was away has saved up no turns', () => {
  const { queue, takeAll } = queueOf(jobs('a', 2));
  takeAll({ a: 1_000 });
  for (const job of [...jobs('a', 2), ...jobs('late', 3)]) queue.add(job);
  expect(takeAll({ a: 1_000, late: 1_000 })).toEqual(['late1', 'a1', 'late2', 'a2', 'late3']);
});

test('one client gets half of the room in number, all together all of it', () => {
  const { refused, queue } = queueOf([...jobs('a', 4), ...jobs('b', 2), ...jobs('c', 2)], {
    count: 6,
    size: 100,
  });
  expect(refused).toEqual(['a4', 'c2']);
  expect(queue.length).toBe(6);
});

test('one client gets half of the room in size; one job alone may be larger', () => {
  const { refused } = queueOf([...jobs('a', 1, 80), ...jobs('a', 1, 1), ...jobs('b', 2, 10)], {
    count: 9,
    size: 100,
  });
  expect(refused).toEqual(['a1']);
  expect(queueOf(jobs('a', 1, 500), { count: 9, size: 100 }).refused).toEqual([]);
});

test("a job that leaves makes room, and its turn is the next one's", () => {
  const all = jobs('a', 3);
  const { queue, takeAll } = queueOf(all, { count: 6, size: 100 });
  const [first, second] = all;
  if (first === undefined || second === undefined) throw new Error('no jobs');
  queue.leave(second);
  queue.leave(second);
  expect(queue.add({ client: 'a', size: 1, name: 'a9' })).toBe(true);
  expect(queue.length).toBe(3);
  expect(takeAll()).toEqual(['a1', 'a3', 'a9']);
  queue.leave(first);
  expect(queue.length).toBe(0);
});
