import { expect, test } from 'bun:test';
import { createTickGroups } from '../../../shared/adapters/cache/tick-batch.ts';

test('calls of one subject are one group, in their order', () => {
  const groups = createTickGroups<number, string>();
  for (const [subject, part] of [
    ['b', 1],
    ['a', 2],
    ['b', 3],
  ] as const) {
    void groups.add(subject, part);
  }
  expect(groups.take().groups).toEqual([
    { subject: 'b', parts: [1, 3] },
    { subject: 'a', parts: [2] },
  ]);
  expect(groups.take().groups).toEqual([]);
});

test('each gets the reply in its place, and a failure reaches its group alone', async () => {
  const groups = createTickGroups<number, string>();
  const waiting = [groups.add('a', 1), groups.add('b', 2), groups.add('a', 3)];
  groups.take().settle([{ value: ['first', 'second'] }, { error: new Error('lost') }]);
  const [first, lost, second] = await Promise.allSettled(waiting);
  expect(first).toMatchObject({ status: 'fulfilled', value: 'first' });
  expect(second).toMatchObject({ status: 'fulfilled', value: 'second' });
  expect(lost).toMatchObject({ status: 'rejected', reason: { message: 'lost' } });
});

test('a reply that is missing is a failure: nobody waits for ever', async () => {
  const groups = createTickGroups<number, string>();
  const waiting = [groups.add('a', 1), groups.add('a', 2), groups.add('b', 3)];
  groups.take().settle([{ value: ['only'] }]);
  const outcomes = await Promise.allSettled(waiting);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
});

test('what comes after a take belongs to the next one', async () => {
  const groups = createTickGroups<number, string>();
  const early = groups.add('a', 1);
  const first = groups.take();
  const late = groups.add('a', 2);
  const second = groups.take();
  second.settle([{ value: ['second'] }]);
  first.settle([{ value: ['first'] }]);
  expect([await early, await late]).toEqual(['first', 'second']);
});
