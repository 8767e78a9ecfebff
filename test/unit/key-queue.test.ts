import { expect, test } from 'bun:test';
import { createKeyQueue } from '../../services/kv/key-queue.ts';
import { errors } from '../../shared/errors.ts';
import { earliestDeadline, type WaitingWrite } from '../../shared/items/group-commit.ts';
import { createItemTurns, WAITING_FOR_A_ROW } from '../../shared/items/item-turns.ts';
import { soon } from '../call-context.ts';

const STORE = 'public/store';

interface Write extends WaitingWrite {
  text: string;
  resolve(text: string): void;
}

/** A queue whose turns are those of a store, which others have until `release`. */
async function heldQueue(commit: (texts: string[]) => Promise<void>) {
  const turns = createItemTurns(() => errors.refused('changes'));
  const holding = Promise.withResolvers<void>();
  const take = (client: string, deadline: number, work: () => Promise<void>) =>
    turns.take(STORE, { ...soon(), deadline, client }, 'a change', work);
  const held = take('holder', soon().deadline, () => holding.promise);
  const add = createKeyQueue<Write>({
    subject: 'a change',
    inTurn: (writes, work) =>
      turns.take(
        STORE,
        { ...soon(), deadline: earliestDeadline(writes), client: writes[0]?.client ?? '' },
        'a change',
        work,
      ),
    async commit(group) {
      await commit(group.map(({ text }) => text));
      return async () => {
        for (const { text, resolve } of group) resolve(text);
      };
    },
  });
  return {
    turns,
    take,
    write: (client: string, text: string, ms = 60_000) =>
      new Promise<string>((resolve, reject) => {
        const { deadline } = soon(ms);
        add('key', { name: 'key', bytes: 1, text, client, deadline, resolve, reject });
      }),
    async release() {
      holding.resolve();
      await held;
    },
  };
}

const outcomesOf = async (writes: Array<Promise<string>>) =>
  (await Promise.allSettled(writes)).map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as { code: string }).code,
  );

test('the first turn of a client is for what waits of all', async () => {
  const groups: string[][] = [];
  const { write, release, turns } = await heldQueue(async (texts) => void groups.push(texts));
  const writes = ['a', 'b', 'a', 'c'].map((client, n) => write(client, `${client}${n}`));
  await Bun.sleep(0);
  await release();
  expect(await outcomesOf(writes)).toEqual(['a0', 'b1', 'a2', 'c3']);
  expect(groups).toEqual([['a0', 'b1', 'a2', 'c3']]);
  await Bun.sleep(0);
  expect(turns.rows).toBe(0);
});

test('a client that gets no turn is refused alone', async () => {
  const { write, take, release } = await heldQueue(async () => undefined);
  const { deadline } = soon();
  const others = Array.from({ length: WAITING_FOR_A_ROW / 2 }, () => take('a', deadline, async () => {}));
  const outcomes = outcomesOf([write('a', 'a'), write('b', 'b')]);
  await Bun.sleep(0);
  await release();
  await Promise.all(others);
  expect(await outcomes).toEqual(['UNAVAILABLE', 'b']);
});

test('writes without time fail alone, before their turn and in it', async () => {
  const { write, release } = await heldQueue(async (texts) => {
    if (texts.length < 2) return;
    await Bun.sleep(800);
    throw errors.timeout('a change');
  });
  // 300 ms are kept for the commit.
  const writes = [write('a', 'late', 310), write('a', 'later', 1_000), write('b', 'in time')];
  const outcomes = outcomesOf(writes);
  expect(await outcomesOf(writes.slice(0, 1))).toEqual(['TIMEOUT']);
  await release();
  expect(await outcomes).toEqual(['TIMEOUT', 'TIMEOUT', 'in time']);
});

test('a failing commit fails its group, and what comes next is done', async () => {
  let isFailing = true;
  const { write, release } = await heldQueue(async () => {
    if (isFailing) throw errors.unavailable('database');
  });
  const outcomes = outcomesOf(['a', 'b'].map((client) => write(client, client)));
  await release();
  expect(await outcomes).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
  isFailing = false;
  expect(await write('a', 'next')).toBe('next');
});
