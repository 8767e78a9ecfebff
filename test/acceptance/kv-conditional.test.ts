import { describe, expect, test } from 'bun:test';
import { type Client, jsonOf } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import {
  getKey,
  keyPath,
  type PublishedStore,
  publishStore,
  putKey,
  removeKey,
  resolveKey,
  setKey,
  shortKeyPath,
} from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const ifMatch = (condition: string) => ({ headers: { 'If-Match': condition } });
const ifNoneMatch = (condition: string) => ({ headers: { 'If-None-Match': condition } });
const etagOf = async (store: PublishedStore, key = 'first', client: Client = perch.last): Promise<string> =>
  (await client.request(keyPath(store, key), { method: 'HEAD' })).headers.get('ETag') ?? '';
const currentValue = async (store: PublishedStore) => (await getKey(perch.last, store, 'first')).value;

/** A value that the cache keeps, and one that it does not. */
const SIZES = { 'a short value': 'x', 'a long value': 'x'.repeat(70_000) };

describe('ETag', () => {
  test('is one strong tag for a value, at both addresses, on every gateway, and in the answer of its PUT', async () => {
    const store = await publishStore(perch);
    for (const value of Object.values(SIZES)) {
      const etag = (await putKey(perch, store, 'first', value)).headers.get('ETag') ?? '';
      expect(etag).toMatch(/^"[^"]+"$/);
      for (const client of perch.clients)
        for (const path of [keyPath(store, 'first'), shortKeyPath(store, 'first')])
          expect((await client.request(path)).headers.get('ETag')).toBe(etag);
    }
  });

  test('is another after each PUT, also of the same value, and after a removal', async () => {
    const store = await publishStore(perch, { value: 'same' });
    const seen = [await etagOf(store)];
    for (let n = 0; n < 3; n++) {
      seen.push((await putKey(perch, store, 'first', 'same')).headers.get('ETag') ?? '');
      await removeKey(perch, store, 'first');
      seen.push((await putKey(perch, store, 'first', 'same')).headers.get('ETag') ?? '');
    }
    expect(new Set(seen).size).toBe(7);
    expect(await etagOf(store)).toBe(seen.at(-1) ?? '');
  });

  test('does not change with other keys, nor with reads', async () => {
    const store = await publishStore(perch);
    const etag = await etagOf(store);
    await setKey(perch, store, 'other', 1);
    await resolveKey(perch, store, 'first');
    expect(await etagOf(store)).toBe(etag);
  });
});

describe('If-None-Match on a read', () => {
  for (const [name, value] of Object.entries(SIZES))
    test(`of ${name} gives 304 and no body to who has it`, async () => {
      const store = await publishStore(perch, { value });
      const etag = await etagOf(store);
      for (const client of perch.clients)
        for (const path of [keyPath(store, 'first'), shortKeyPath(store, 'first')])
          for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
            const answer = await client.request(path, ifNoneMatch(condition));
            expect([answer.status, await answer.text()]).toEqual([304, '']);
            expect(answer.headers.get('ETag')).toBe(etag);
            expect(answer.headers.get('Cache-Control')).toBe('no-cache');
          }
    });

  test('gives the value to who has an older one or none', async () => {
    const store = await publishStore(perch, { value: 'old' });
    const old = await etagOf(store);
    await setKey(perch, store, 'first', 'new');
    for (const client of perch.clients)
      for (const condition of [old, '"x"', old.slice(1, -1)])
        expect(await (await resolveKey(client, store, 'first', ifNoneMatch(condition))).text()).toBe('new');
  });

  test('does not find what is not there, nor get past a password', async () => {
    const store = await publishStore(perch, {}, { headers: { 'X-Password': 'right' } });
    for (const path of [keyPath(store, 'first'), shortKeyPath(store, 'first')])
      await expectError(await perch.request(path, ifNoneMatch('*')), 403, 'PASSWORD_REQUIRED');
    const open = { headers: { 'X-Password': 'right', 'If-None-Match': '*' } };
    await expectError(await perch.request(keyPath(store, 'never-was'), open), 404, 'NOT_FOUND');
    expect((await perch.request(keyPath(store, 'first'), open)).status).toBe(304);
  });
});

describe('If-Match', () => {
  for (const [method, change] of [
    [
      'PUT',
      (store: PublishedStore, condition: string) => putKey(perch, store, 'first', 'new', ifMatch(condition)),
    ],
    [
      'DELETE',
      (store: PublishedStore, condition: string) => removeKey(perch, store, 'first', ifMatch(condition)),
    ],
  ] as const) {
    test(`with the tag, one of several or any lets a ${method} through`, async () => {
      for (const condition of ['$', ' $ ', '"x", $', '$,"x"', 'W/"x" , $', '*']) {
        const store = await publishStore(perch);
        const answer = await change(store, condition.replace('$', await etagOf(store)));
        expect([condition, answer.ok]).toEqual([condition, true]);
      }
    });

    test(`with another, a weak or no tag at all stops a ${method}, and nothing changes`, async () => {
      const store = await publishStore(perch, { value: 'old' });
      const old = await etagOf(store);
      await setKey(perch, store, 'first', 'kept');
      const kept = await etagOf(store);
      const conditions = [
        old,
        '"x"',
        `W/${kept}`,
        kept.slice(1, -1),
        '',
        '""',
        `"0${kept.slice(1)}`,
        `${kept}x`,
      ];
      for (const condition of conditions)
        await expectError(await change(store, condition), 412, 'PRECONDITION_FAILED');
      expect(await currentValue(store)).toBe('kept');
      expect(await etagOf(store)).toBe(kept);
    });

    test(`of a key that is not there stops a ${method}`, async () => {
      const store = await publishStore(perch);
      const gone = await etagOf(store);
      await removeKey(perch, store, 'first');
      for (const condition of ['*', gone, '"x"'])
        await expectError(await change(store, condition), 412, 'PRECONDITION_FAILED');
      await expectError(await perch.request(keyPath(store, 'first')), 404, 'NOT_FOUND');
      await setKey(perch, store, 'first', 'back');
      await expectError(await change(store, gone), 412, 'PRECONDITION_FAILED');
    });
  }

  test('of twenty PUTs at once lets exactly one through', async () => {
    for (const value of Object.values(SIZES)) {
      const store = await publishStore(perch, { value });
      const etag = await etagOf(store);
      const answers = await atOnce(20, (n) =>
        putKey(n % 2 === 0 ? perch : perch.last, store, 'first', [n, value], ifMatch(etag)),
      );
      expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 412: 19 });
      const winner = answers.findIndex(({ status }) => status === 200);
      for (const client of perch.clients)
        expect(await getKey(client, store, 'first')).toMatchObject({ value: [winner, value], version: 2 });
    }
  });

  test('of ten PUTs and ten DELETEs at once lets exactly one through', async () => {
    const store = await publishStore(perch);
    const condition = ifMatch(await etagOf(store));
    const answers = await atOnce(20, (n) =>
      n % 2 === 0
        ? putKey(perch, store, 'first', n, condition)
        : removeKey(perch.last, store, 'first', condition),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
  });

  test('keeps what several count up together', async () => {
    const store = await publishStore(perch, { value: 0 });
    await atOnce(5, async (n) => {
      const client = n % 2 === 0 ? perch : perch.last;
      for (let added = 0; added < 4; ) {
        const current = await client.request(keyPath(store, 'first'));
        const { value } = await jsonOf<{ value: number }>(current);
        const condition = ifMatch(current.headers.get('ETag') ?? '');
        if ((await putKey(client, store, 'first', value + 1, condition)).status === 200) added += 1;
      }
    });
    expect(await getKey(perch.last, store, 'first')).toMatchObject({ value: 20, version: 21 });
  });
});

describe('If-None-Match: * on a PUT', () => {
  test('makes a new key and stops before one that is there', async () => {
    const store = await publishStore(perch, { value: 'kept' });
    const taken = await putKey(perch, store, 'first', 'lost', ifNoneMatch('*'));
    await expectError(taken, 412, 'PRECONDITION_FAILED');
    expect(await currentValue(store)).toBe('kept');
    expect(await setKey(perch, store, 'k', 1, ifNoneMatch('*'))).toMatchObject({ created: true, version: 1 });
    await removeKey(perch, store, 'first');
    expect(await setKey(perch.last, store, 'first', 2, ifNoneMatch('*'))).toMatchObject({ created: true });
  });

  test('of twenty at once lets exactly one through', async () => {
    const store = await publishStore(perch);
    const answers = await atOnce(20, (n) =>
      putKey(n % 2 === 0 ? perch : perch.last, store, 'lock', n, ifNoneMatch('*')),
    );
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 412: 19 });
    const winner = answers.findIndex(({ status }) => status === 200);
    for (const client of perch.clients) expect((await getKey(client, store, 'lock')).value).toBe(winner);
  });
});

describe('If-None-Match on a DELETE', () => {
  test('stops it: * as the key is there, all else as nobody asks it of a removal', async () => {
    const store = await publishStore(perch, { value: 'kept' });
    for (const condition of ['*', ' * '])
      await expectError(
        await removeKey(perch, store, 'first', ifNoneMatch(condition)),
        412,
        'PRECONDITION_FAILED',
      );
    for (const condition of ['"x"', await etagOf(store), ''])
      await expectError(
        await removeKey(perch, store, 'first', ifNoneMatch(condition)),
        ...([400, 'VALIDATION_FAILED', 'If-None-Match'] as const),
      );
    expect(await currentValue(store)).toBe('kept');
  });

  test('is looked at after the store, its owner and the key', async () => {
    const [store, stranger] = [await publishStore(perch), await publishStore(perch)];
    const { ownerToken } = stranger;
    const removed = (of: PublishedStore, key: string) => removeKey(perch, of, key, ifNoneMatch('*'));
    await expectError(await removed({ ...store, id: 'never-was' }, 'first'), 404, 'NOT_FOUND');
    await expectError(await removed({ ...store, ownerToken }, 'first'), 403, 'OWNER_TOKEN_WRONG');
    await expectError(await removed(store, 'never-was'), 404, 'NOT_FOUND');
  });
});

test('the tag of a value stays over a renewal, and goes on to allow a change', async () => {
  const store = await publishStore(perch);
  const etag = await etagOf(store);
  const renewal = `/api/${store.namespace}/${store.id}/renew`;
  const headers = { 'X-Owner-Token': store.ownerToken };
  await jsonOf(await perch.request(renewal, { method: 'POST', headers, query: { ttl: 30 } }));
  expect((await perch.request(keyPath(store, 'first'), ifNoneMatch(etag))).status).toBe(304);
  expect((await putKey(perch, store, 'first', 2, ifMatch(etag))).status).toBe(200);
});
