import { expect, test } from 'bun:test';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import {
  getKey,
  KEY_LIMIT,
  keyPath,
  listKeys,
  type PublishedStore,
  publishStore,
  putKey,
  removeKey,
  setKey,
} from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const gateway = (n: number) => (n % 2 === 0 ? perch : perch.last);

/** A store of so many keys: key-1, key-2, … */
async function storeOf(count: number): Promise<PublishedStore> {
  const store = await publishStore(perch, { key: 'key-1' });
  for (let next = 2; next <= count; next += 50) {
    const answers = await atOnce(Math.min(50, count - next + 1), (n) =>
      putKey(gateway(n), store, `key-${next + n}`, n),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  }
  return store;
}

const countOf = async (store: PublishedStore): Promise<number> => {
  const { count, keys, entries } = await listKeys(perch.last, store);
  expect([keys.length, entries.length, new Set(keys).size]).toEqual([count, count, count]);
  return count;
};

test('fifty writers at once fill a store to 1000 keys and not one more', async () => {
  const store = await storeOf(KEY_LIMIT - 25);
  const answers = await atOnce(50, (n) => putKey(gateway(n), store, `new-${n}`, n));
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 25, 409: 25 });
  for (const [n, answer] of answers.entries()) {
    if (answer.status !== 409) continue;
    await expectError(answer, 409, 'KV_KEY_LIMIT');
    await expectError(await perch.last.request(keyPath(store, `new-${n}`)), 404, 'NOT_FOUND');
  }
  expect(await countOf(store)).toBe(KEY_LIMIT);
}, 180_000);

test('a full store takes updates and removals, and a removed key frees one place', async () => {
  const store = await storeOf(KEY_LIMIT);
  await expectError(await putKey(perch, store, 'more', 1), 409, 'KV_KEY_LIMIT');
  const onlyNew = { headers: { 'If-None-Match': '*' } };
  await expectError(await putKey(perch, store, 'more', 1, onlyNew), 409, 'KV_KEY_LIMIT');
  const missing = { headers: { 'If-Match': '*' } };
  await expectError(await putKey(perch, store, 'more', 1, missing), 412, 'PRECONDITION_FAILED');

  const updates = await atOnce(50, (n) => putKey(gateway(n), store, `key-${1 + (n % 10)}`, `updated ${n}`));
  expect(updates.every(({ status }) => status === 200)).toBe(true);
  expect(await getKey(perch.last, store, 'key-1')).toMatchObject({ version: 6 });

  for (let round = 1; round <= 3; round++) {
    expect((await removeKey(gateway(round), store, `key-${round}`)).status).toBe(204);
    expect(await countOf(store)).toBe(KEY_LIMIT - 1);
    const answers = await atOnce(20, (n) => putKey(gateway(n), store, `round-${round}-${n}`, n));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 19 });
    expect(await countOf(store)).toBe(KEY_LIMIT);
  }

  const mixed = await atOnce(60, (n) =>
    n % 2 === 0
      ? removeKey(gateway(n >> 1), store, `key-${100 + n}`)
      : putKey(gateway(n >> 1), store, `mixed-${n}`, n),
  );
  const added = mixed.filter(({ status }) => status === 200).length;
  expect(mixed.filter(({ status }) => status === 204)).toHaveLength(30);
  expect(mixed.filter(({ status }) => status === 409)).toHaveLength(30 - added);
  expect(await countOf(store)).toBe(KEY_LIMIT - 30 + added);
}, 180_000);

test('the limit is that of one store', async () => {
  const full = await storeOf(KEY_LIMIT);
  const owner = { headers: { 'X-Owner-Token': full.ownerToken } };
  const other = await publishStore(perch, {}, owner);
  expect(await setKey(perch, other, 'k', 1)).toMatchObject({ created: true });
}, 180_000);
