import { expect, test } from 'bun:test';
import { until } from '../../infra/until.ts';
import { createBatcher } from '../../shared/batcher.ts';
import { turns } from '../../shared/turns.ts';

interface Request {
  name: string;
  size: number;
  isGone: boolean;
}

const request = (name: string, size = 10): Request => ({ name, size, isGone: false });

/** A batcher of at most 32 requests and 1,000 in size, and the messages that it sent. */
function batcherOf(waitMs = 600_000, turnsToLeave = 1) {
  const messages: Array<{ requests: Request[]; answered(): void }> = [];
  const batcher = createBatcher<Request>({
    max: { count: 32, size: 1_000 },
    sizeOf: ({ size }) => size,
    isGone: ({ isGone }) => isGone,
    waitMs,
    turnsToLeave,
    send: (requests, answered) => void messages.push({ requests, answered }),
  });
  return {
    batcher,
    messages,
    names: () => messages.map(({ requests }) => requests.map(({ name }) => name).join(' ')),
    counts: () => messages.map(({ requests }) => requests.length),
    addAll(...names: string[]): void {
      for (const name of names) batcher.add(request(name));
    },
  };
}

/** The end of the turn, and of the one that it began. */
const turn = (): Promise<void> => turns(2);

/** Two messages are on their way, so that whatever comes waits. */
async function withTwoUnanswered(waitMs?: number) {
  const sent = batcherOf(waitMs);
  for (const name of ['first', 'second']) {
    sent.addAll(name);
    await turn();
  }
  expect(sent.names()).toEqual(['first', 'second']);
  return sent;
}

test('alone a request leaves at the end of its turn, and with it what was asked in that turn', async () => {
  const { names, addAll } = batcherOf();
  addAll('a');
  expect(names()).toEqual([]);
  await turn();
  expect(names()).toEqual(['a']);
  addAll('b', 'c');
  await turn();
  expect(names()).toEqual(['a', 'b c']);
});

test('a message leaves after three turns with what was asked in each of them', async () => {
  const { names, addAll } = batcherOf(600_000, 3);
  for (const name of ['a', 'b', 'c']) {
    addAll(name);
    expect(names()).toEqual([]);
    await turns(1);
  }
  await turn();
  expect(names()).toEqual(['a b c']);
});

test('what comes while two messages are unanswered leaves together, with the first answer to either', async () => {
  const { names, addAll, messages } = await withTwoUnanswered();
  for (const name of ['c', 'd', 'e']) addAll(name);
  messages[1]?.answered();
  await turn();
  expect(names().slice(2)).toEqual(['c d e']);
  // That message is unanswered now, and the first still is: one answer counts once.
  addAll('f');
  messages[1]?.answered();
  expect(names()).toHaveLength(3);
  messages[0]?.answered();
  await turn();
  expect(names().slice(3)).toEqual(['f']);
});

test('nobody waits for who does not answer', async () => {
  const { names, addAll } = await withTwoUnanswered(2);
  addAll('c', 'd');
  await until('they leave all the same', async () => names().length === 3, 5_000);
  expect(names()[2]).toBe('c d');
});

test.each([
  [31, []],
  [32, [32]],
  [33, [32, 1]],
])('of %d that wait a full message leaves at once', async (count, left) => {
  const { addAll, counts } = await withTwoUnanswered();
  addAll(...Array.from({ length: count }, (_, n) => `${n}`));
  await turn();
  expect(counts().slice(2)).toEqual(left);
});

test.each([
  [4, 250, [4]],
  [4, 251, [3, 1]],
  [5, 250, [4, 1]],
  [1, 5_000, [1]],
])('%d of size %d are cut into messages', async (count, size, sizes) => {
  const { batcher, counts } = batcherOf();
  for (let n = 0; n < count; n++) batcher.add(request(`${n}`, size));
  await turn();
  expect(counts()).toEqual(sizes);
});

test.each([
  [999, 2],
  [1_000, 3],
])('requests of size %d together fill a message, or do not', async (size, sent) => {
  const { batcher, messages } = await withTwoUnanswered();
  batcher.add(request('large', size - 10));
  batcher.add(request('small'));
  await turn();
  expect(messages).toHaveLength(sent);
});

test('one that was given up while it waited does not leave', async () => {
  const { batcher, names, messages } = await withTwoUnanswered();
  const [gone, other] = [request('gone'), request('other')];
  for (const one of [gone, other]) batcher.add(one);
  gone.isGone = true;
  messages[0]?.answered();
  await turn();
  expect(names().slice(2)).toEqual(['other']);
});

test('what has not left can be taken out, and then does not leave', async () => {
  const { batcher, names, addAll } = await withTwoUnanswered(5);
  addAll('c', 'd');
  expect(batcher.takeAll().map(({ name }) => name)).toEqual(['c', 'd']);
  await Bun.sleep(20);
  expect(names()).toEqual(['first', 'second']);
});
