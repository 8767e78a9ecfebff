import { expect, test } from 'bun:test';
import { steadyNow } from '../../shared/deadline.ts';
import { createBusyKeys, createGroupCommit, type WaitingWrite } from '../../shared/items/group-commit.ts';

interface Write extends WaitingWrite {
  resolve(): void;
}

/** Writes by a group commit whose commits all take until `end` is called. */
function createSlowCommits() {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const committed: string[][] = [];
  const add = createGroupCommit<Write>({
    subject: 'a test',
    busy: createBusyKeys(),
    async commit(batch) {
      committed.push(batch.map(({ name }) => name));
      await ended;
      for (const { resolve } of batch) resolve();
    },
  });
  const write = (name: string, ms: number): Promise<void> =>
    new Promise((resolve, reject) => add({ name, bytes: 1, deadline: steadyNow() + ms, resolve, reject }));
  return { write, end, committed };
}

test('a write that waits behind a commit without end is refused when its time is over, and is not done later', async () => {
  const { write, end, committed } = createSlowCommits();
  const first = write('first', 60_000);
  await Bun.sleep(10);
  const [late, patient] = [write('late', 600), write('patient', 60_000)];
  await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(committed).toEqual([['first']]);
  end();
  await Promise.all([first, patient]);
  expect(committed).toEqual([['first'], ['patient']]);
});
