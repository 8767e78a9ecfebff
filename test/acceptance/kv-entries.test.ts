import { describe, expect, test } from 'bun:test';
import { jsonOf, ownedBy, type RequestOptions, raw } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { KINDS, publishKind } from './support/kinds.ts';
import {
  getKey,
  keyPath,
  listKeys,
  type PublishedStore,
  publishStore,
  putKey,
  removeKey,
  resolveKey,
  setKey,
  storePath,
} from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const removeStore = (store: PublishedStore, client = perch.last) =>
  client.request(storePath(store), { method: 'DELETE', ...ownedBy(store) });

describe('PUT of a key', () => {
  test('says whether it was new, which version it is, and where', async () => {
    const store = await publishStore(perch, {}, { query: { ns: 'kv-put', ttl: 2 } });
    const { namespace, id, expiresAt } = store;
    const places = { link: `${perch.url}/kv-put/${id}/k`, ownerLink: `${perch.url}/api/kv/kv-put/${id}/k` };
    const created = await setKey(perch, store, 'k', 'höllo');
    expect(created).toEqual({
      namespace,
      id,
      key: 'k',
      sizeBytes: 6,
      created: true,
      version: 1,
      ...places,
      updatedAt: created.updatedAt,
      expiresAt,
    });
    expect(created.updatedAt >= store.createdAt).toBe(true);
    for (let version = 2; version <= 4; version++) {
      const before = await getKey(perch.last, store, 'k');
      const replaced = await setKey(version % 2 === 0 ? perch.last : perch, store, 'k', [version]);
      expect(replaced).toMatchObject({ created: false, version, sizeBytes: 3, expiresAt });
      expect(replaced.updatedAt >= before.updatedAt).toBe(true);
    }
    expect(await setKey(perch, store, 'first', 2)).toMatchObject({ created: false, version: 2 });
  });

  test('replaces the value whole, for all who read it', async () => {
    const store = await publishStore(perch, { value: { a: 1, b: 2 } });
    for (const value of [{ c: 3 }, null, 'text', [1, 2]]) {
      const { updatedAt, version } = await setKey(perch, store, 'first', value);
      for (const client of perch.clients) {
        const { namespace, id, expiresAt } = store;
        expect(await getKey(client, store, 'first')).toEqual({
          namespace,
          id,
          key: 'first',
          value,
          version,
          updatedAt,
          expiresAt,
          views: 0,
        });
      }
    }
  });

  test('needs a JSON object with a value', async () => {
    const store = await publishStore(perch);
    const put = (options: RequestOptions) =>
      perch.request(keyPath(store, 'first'), { method: 'PUT', ...options });
    for (const json of [{}, { content: 1 }, { Value: 1 }])
      await expectError(await put({ ...ownedBy(store), json }), 400, 'VALIDATION_FAILED', 'value');
    for (const text of ['', '1', 'null', '[1]', '"x"', '{"value":}', '{value:1}', '{"value":1'])
      await expectError(await put(raw(text, 'application/json', ownedBy(store))), 400, 'JSON_INVALID');
    expect(await getKey(perch.last, store, 'first')).toMatchObject({ value: 1, version: 1 });
  });

  test('takes the key from the address alone', async () => {
    const store = await publishStore(perch);
    const json = { value: 2, key: 'other', ttl: 30, expiresAt: '2999-01-01T00:00:00.000Z' };
    const options: RequestOptions = { method: 'PUT', ...ownedBy(store), json };
    const { expiresAt } = store;
    expect(await jsonOf(await perch.request(keyPath(store, 'first'), options))).toMatchObject({ expiresAt });
    expect((await listKeys(perch, store)).keys).toEqual(['first']);
  });

  test('takes the token in the query, too', async () => {
    const store = await publishStore(perch);
    const query = { token: store.ownerToken };
    const json = { value: 2 };
    expect((await perch.request(keyPath(store, 'k'), { method: 'PUT', query, json })).status).toBe(200);
    expect((await perch.request(keyPath(store, 'k'), { method: 'DELETE', query })).status).toBe(204);
  });
});

describe('DELETE of a key', () => {
  test('removes this key alone, for all who read it', async () => {
    const store = await publishStore(perch);
    await setKey(perch, store, 'k', 'gone');
    const removed = await removeKey(perch, store, 'k');
    expect([removed.status, await removed.text()]).toEqual([204, '']);
    for (const client of perch.clients) {
      await expectError(await client.request(keyPath(store, 'k')), 404, 'NOT_FOUND');
      await expectError(await resolveKey(client, store, 'k'), 404, 'NOT_FOUND');
      expect(await listKeys(client, store)).toMatchObject({ keys: ['first'], count: 1 });
    }
    await expectError(await removeKey(perch.last, store, 'k'), 404, 'NOT_FOUND');
    expect(await setKey(perch.last, store, 'k', 'back')).toMatchObject({ created: true });
    for (const client of perch.clients) expect((await getKey(client, store, 'k')).value).toBe('back');
  });

  test('of the last key keeps the store', async () => {
    const store = await publishStore(perch);
    expect((await removeKey(perch, store, 'first')).status).toBe(204);
    for (const client of perch.clients) {
      expect(await listKeys(client, store)).toMatchObject({ keys: [], count: 0, entries: [] });
      expect((await client.read(store)).status).toBe(200);
    }
    expect(await setKey(perch.last, store, 'next', 1)).toMatchObject({ created: true, version: 1 });
  });

  test('by twenty at once succeeds once', async () => {
    const store = await publishStore(perch);
    const answers = await atOnce(20, (n) => removeKey(n % 2 === 0 ? perch : perch.last, store, 'first'));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 204: 1, 404: 19 });
  });
});

describe('what is asked first', () => {
  const bad: RequestOptions = raw('{', 'application/json');
  const withToken = (token: string): RequestOptions => ({ ...bad, headers: { 'X-Owner-Token': token } });

  test('is whether the store is there, then the token, then the rest', async () => {
    const [store, stranger] = [await publishStore(perch), await publishStore(perch)];
    const missing = { ...store, id: 'never-was' };
    for (const method of ['PUT', 'DELETE'])
      for (const key of ['first', 'never-was', 'a/b']) {
        const ask = (target: PublishedStore, options: RequestOptions) =>
          perch.request(keyPath(target, key), { ...options, method });
        await expectError(await ask(missing, bad), 404, 'NOT_FOUND');
        await expectError(await ask(missing, withToken(store.ownerToken)), 404, 'NOT_FOUND');
        await expectError(await ask(store, bad), 403, 'OWNER_TOKEN_REQUIRED');
        await expectError(await ask(store, withToken(' ')), 403, 'OWNER_TOKEN_REQUIRED');
        await expectError(await ask(store, withToken(stranger.ownerToken)), 403, 'OWNER_TOKEN_WRONG');
      }
    await expectError(
      await perch.request(keyPath(store, 'k'), { method: 'PUT', ...withToken(store.ownerToken) }),
      400,
      'JSON_INVALID',
    );
    expect((await listKeys(perch, store)).keys).toEqual(['first']);
  });

  test('is the same of the store itself', async () => {
    const [store, stranger] = [await publishStore(perch), await publishStore(perch)];
    const path = storePath(store);
    await expectError(await perch.request(path, { method: 'DELETE' }), 403, 'OWNER_TOKEN_REQUIRED');
    const forged = await perch.request(path, { method: 'DELETE', ...ownedBy(stranger) });
    await expectError(forged, 403, 'OWNER_TOKEN_WRONG');
    await expectError(await removeStore({ ...store, id: 'never-was' }), 404, 'NOT_FOUND');
  });
});

test('an item of another kind has no keys, at no address', async () => {
  for (const kind of KINDS.filter(({ name }) => name !== 'kv')) {
    const item = (await publishKind(perch, kind, 'x')) as PublishedStore;
    const answers = [
      await perch.request(storePath(item)),
      await perch.request(keyPath(item, 'first')),
      await putKey(perch, item, 'first', 1),
      await removeKey(perch, item, 'first'),
      await removeStore(item),
      await resolveKey(perch, item, 'first'),
    ];
    for (const answer of answers) await expectError(answer, 404, 'NOT_FOUND');
  }
});
