import { describe, expect, test } from 'bun:test';
import { ownedBy } from './support/client.ts';
import { expectError } from './support/errors.ts';
import {
  getKey,
  keyPath,
  listKeys,
  postStore,
  publishStore,
  putKey,
  removeKey,
  resolveKey,
  setKey,
  shortKeyPath,
  storePath,
} from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';
import { rawRequest } from './support/socket.ts';

const perch = sharePerch();

const KEYS: Record<string, string> = {
  'one character': 'k',
  'a percent sign': '100%',
  'what looks encoded': 'a%20b',
  'an encoded percent sign': '%25',
  'an encoded slash': 'a%2Fb',
  'a question mark': 'what?dl=true',
  'a hash': '#top',
  'a plus': 'a+b',
  'a space': ' a b ',
  'marks of a query': 'a=b&c=d;e',
  quotes: `"it's"`,
  backslashes: 'a\\b\\',
  markup: '<b>&amp;<br>',
  brackets: '{[(|)]}^`',
  'marks of addresses': "!$*,:@~-_'",
  emoji: '🐦👩‍👩‍👧',
  'letters of other scripts': '日本語 العربية',
  'a composed letter': 'caf\u00e9',
  'a letter and its accent': 'cafe\u0301',
  'invisible characters': 'a\u200b\u00a0\u2028\ufeffb',
  'three dots': '...',
  'a dot in front': '.hidden',
  'two dots in front': '..up',
  'the name of a ticket': '~1.x',
  'a word of the language': '__proto__',
  'another word of it': 'constructor',
  null: 'null',
  'a number': '0',
  'the longest': 'k'.repeat(256),
  'the longest of emoji': '🐦'.repeat(256),
};

describe('a key of', () => {
  for (const [name, key] of Object.entries(KEYS))
    test(name, async () => {
      const store = await publishStore(perch, { key, value: 'created' });
      expect(store.key).toBe(key);
      expect(store.link).toBe(`${perch.url}${shortKeyPath(store, key)}`);
      expect(await (await perch.request(new URL(store.link).pathname)).text()).toBe('created');
      const { link, ownerLink, ...put } = await setKey(perch.last, store, key, 'put');
      expect(put).toMatchObject({ key, created: false, version: 2 });
      const { url } = perch.last;
      expect([link, ownerLink]).toEqual([
        `${url}${shortKeyPath(store, key)}`,
        `${url}${keyPath(store, key)}`,
      ]);
      for (const client of perch.clients) {
        expect(await getKey(client, store, key)).toMatchObject({ key, value: 'put' });
        expect(await (await resolveKey(client, store, key)).text()).toBe('put');
        expect((await listKeys(client, store)).keys).toEqual([key]);
      }
      expect((await removeKey(perch, store, key)).status).toBe(204);
      for (const client of perch.clients) {
        await expectError(await client.request(keyPath(store, key)), 404, 'NOT_FOUND');
        await expectError(await resolveKey(client, store, key), 404, 'NOT_FOUND');
      }
    });
});

test('keys that are nearly the same are not the same', async () => {
  const alike = ['a', 'A', ' a', 'a ', 'a+', 'a%20', 'á', 'a\u0301', 'ａ', 'a\u200b'];
  const store = await publishStore(perch, { key: 'a', value: 'a' });
  for (const key of alike.slice(1))
    expect(await setKey(perch, store, key, key)).toMatchObject({ created: true });
  expect((await listKeys(perch.last, store)).keys.sort()).toEqual(alike.toSorted());
  for (const key of alike) {
    expect((await getKey(perch.last, store, key)).value).toBe(key);
    expect(await (await resolveKey(perch.last, store, key)).text()).toBe(key);
  }
});

describe('no key can be', () => {
  const NOT_KEYS: Record<string, string> = {
    'longer than 256 characters': 'k'.repeat(257),
    'longer than 256 emoji': '🐦'.repeat(257),
    'with a slash': 'a/b',
    'a slash': '/',
    'with a NUL': 'a\u0000',
    'with a tab': 'a\tb',
    'with a line break': 'a\r\nb',
    'with DEL': 'a\u007f',
    'with a control character of Latin-1': 'a\u0085b',
  };
  for (const [name, key] of Object.entries(NOT_KEYS))
    test(name, async () => {
      await expectError(await postStore(perch, { key, value: 1 }), 400, 'VALIDATION_FAILED', 'key');
      const store = await publishStore(perch);
      await expectError(await putKey(perch, store, key, 1), 400, 'VALIDATION_FAILED', 'key');
      await expectError(await removeKey(perch, store, key), 404, 'NOT_FOUND');
      await expectError(await perch.request(keyPath(store, key)), 404, 'NOT_FOUND');
      await expectError(await resolveKey(perch, store, key), 404, 'NOT_FOUND');
      expect((await listKeys(perch, store)).keys).toEqual(['first']);
    });

  test('empty, a step within a path, or half of a character', async () => {
    for (const key of ['', '.', '..', '\ud83d', 'a\udc26'])
      await expectError(await postStore(perch, { key, value: 1 }), 400, 'VALIDATION_FAILED', 'key');
  });

  test('left out of an address, which then is not that of the store', async () => {
    const store = await publishStore(perch, { key: 'kept' });
    const removal = { method: 'DELETE', ...ownedBy(store) };
    await expectError(await perch.request(`${storePath(store)}/`, removal), 404, 'NOT_FOUND');
    expect((await listKeys(perch, store)).keys).toEqual(['kept']);
  });

  test('a path of several names', async () => {
    const store = await publishStore(perch, { key: 'a' });
    for (const path of [`${storePath(store)}/a/b`, `/${store.namespace}/${store.id}/a/b`])
      await expectError(await perch.request(path), 404, 'NOT_FOUND');
  });
});

describe('an address that', () => {
  const BROKEN = ['%', '%2', '%zz', 'a%', '%ff', '%c0%af', '%ed%a0%80', '%f0%9f%90', '%e0%80%80'];

  test('is no encoding of anything leads nowhere, and is no fault of ours', async () => {
    const store = await publishStore(perch);
    const json = { json: { value: 1 } };
    for (const broken of BROKEN) {
      const api = `${storePath(store)}/${broken}`;
      const answers = [
        await perch.request(api),
        await perch.request(api, { method: 'DELETE', ...ownedBy(store) }),
        await perch.request(api, { method: 'PUT', ...ownedBy(store), ...json }),
        await perch.request(`/${store.namespace}/${store.id}/${broken}`),
      ];
      for (const answer of answers)
        await expectError(
          answer,
          answer.status === 400 ? 400 : 404,
          answer.status === 400 ? 'VALIDATION_FAILED' : 'NOT_FOUND',
        );
    }
    expect((await listKeys(perch, store)).keys).toEqual(['first']);
  });

  test('steps back does not reach other stores', async () => {
    const [store, other] = [await publishStore(perch), await publishStore(perch, { value: 'other' })];
    for (const prefix of [storePath(store), `/${store.namespace}/${store.id}`])
      for (const steps of ['..', '%2e%2e', '..%2f', '%2e%2e%2f', '.%2e%5c']) {
        const target = `${prefix}/${steps}${other.id}/first`;
        const { status, body } = await rawRequest(perch.url, `GET ${target}`, ['User-Agent: Test/1']);
        expect([target, status]).toEqual([target, 404]);
        expect(body).not.toContain('"other"');
      }
  });

  test('spells the key another way leads to the same one', async () => {
    const store = await publishStore(perch, { key: 'a b~é', value: 'found' });
    for (const spelled of ['a%20b~%C3%A9', 'a%20b%7E%c3%a9', '%61%20%62~%C3%A9']) {
      expect(await (await perch.request(`/public/${store.id}/${spelled}`)).text()).toBe('found');
      const { value } = (await (await perch.request(`${storePath(store)}/${spelled}`)).json()) as {
        value: string;
      };
      expect(value).toBe('found');
    }
  });
});
