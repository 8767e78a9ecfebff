import { expect, test } from 'bun:test';
import { steadyNow } from '../../shared/deadline.ts';
import { createBusyKeys, createGroupCommit, type WaitingWrite } from '../../shared/items/group-commit.ts';

interface Write extends WaitingWrite {
  resolve(): void;
}

/** Writes by a group commit, of which each commit takes as long as `lasts`. */
function createCommits(lasts: () => Promise<unknown>) {
  const committed: string[][] = [];
  const add = createGroupCommit<Write>({
    subject: 'a test',
    busy: createBusyKeys(),
    async commit(batch) {
      committed.push(batch.map(({ name }) => name));
      await lasts();
      for (const { resolve } of batch) resolve();
    },
  });
  const write = (name: string, ms: number, { bytes = 1, client = 'somebody' } = {}): Promise<void> =>
    new Promise((resolve, reject) =>
      add({ name, bytes, client, deadline: steadyNow() + ms, resolve, reject }),
    );
  return { write, committed };
}

test('a write that waits behind a commit without end is refused when its time is over, and is not done later', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { write, committed } = createCommits(() => ended);
  const first = write('first', 60_000);
  await Bun.sleep(10);
  const [late, patient] = [write('late', 600), write('patient', 60_000)];
  await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(committed).toEqual([['first']]);
  end();
  await Promise.all([first, patient]);
  expect(committed).toEqual([['first'], ['patient']]);
});

test('a write that would not be done in time at the pace of the last commits is refused at once', async () => {
  const { write, committed } = createCommits(() => Bun.sleep(200));
  // Each is added while the one before is under way.
  let before = write('first', 60_000);
  for (const name of ['second', 'third']) {
    await Bun.sleep(50);
    const next = write(name, 60_000);
    await before;
    before = next;
  }
  await Bun.sleep(50);
  // Of 450 ms a commit has 150, as the rest is for the answer.
  await expect(write('hasty', 450)).rejects.toMatchObject({ code: 'UNAVAILABLE', isRefusal: true });
  await Promise.all([before, write('patient', 60_000)]);
  expect(committed).toEqual([['first'], ['second'], ['third'], ['patient']]);
  // An idle lane knows no pace: the outage behind it may be over.
  await Bun.sleep(50);
  await write('hasty', 450);
  expect(committed.at(-1)).toEqual(['hasty']);
});

test('a large write is refused for the bytes ahead of it, and a small one goes along with the next commit', async () => {
  const { write, committed } = createCommits(() => Bun.sleep(50));
  const first = write('first', 60_000);
  await Bun.sleep(10);
  const second = write('second', 60_000);
  await first;
  await Bun.sleep(10);
  // At 4 MB a commit they take a second, though two go at once.
  const large = Array.from({ length: 80 }, (_, n) => write(`large ${n}`, 60_000, { bytes: 2_000_000 }));
  await expect(write('one more', 900, { bytes: 2_000_000 })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    isRefusal: true,
  });
  await Promise.all([second, ...large, write('small', 900)]);
  expect(committed.findIndex((names) => names.includes('small'))).toBeLessThan(5);
  expect(committed.flat()).not.toContain('one more');
});

test('clients take turns, and the writes of each keep their order', async () => {
  const { write, committed } = createCommits(() => Bun.sleep(5));
  const many = Array.from({ length: 5 }, (_, n) =>
    write(`many ${n}`, 60_000, { bytes: 2_000_000, client: 'one' }),
  );
  const few = ['two', 'three'].flatMap((client) =>
    [0, 1].map((n) => write(`${client} ${n}`, 60_000, { bytes: 2_000_000, client })),
  );
  await Promise.all([...many, ...few]);
  expect(committed).toEqual([
    ['many 0', 'two 0'],
    ['three 0', 'many 1'],
    ['two 1', 'three 1'],
    ['many 2', 'many 3'],
    ['many 4'],
  ]);
});
