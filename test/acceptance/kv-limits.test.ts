import { describe, expect, test } from 'bun:test';
import { raw } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import {
  keyPath,
  listKeys,
  type OwnedStore,
  postStore,
  publishStore,
  putKey,
  putText,
  type ReadKey,
  resolveKey,
  setKey,
  VALUE_LIMIT,
} from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

/** The value on every gateway, by the API and by the short URL; compared without printing a megabyte. */
async function holds(store: OwnedStore, key: string, value: unknown): Promise<boolean[]> {
  const expected = JSON.stringify(value);
  const bare = typeof value === 'string' ? value : expected;
  const seen: boolean[] = [];
  for (const client of perch.clients) {
    const read = (await (await client.request(keyPath(store, key))).json()) as ReadKey;
    seen.push(JSON.stringify(read.value) === expected);
    seen.push((await (await resolveKey(client, store, key)).text()) === bare);
  }
  return seen;
}
const YES = () => perch.clients.flatMap(() => [true, true]);

/** A text of exactly so many bytes in UTF-8. */
const TEXTS: Record<string, (size: number) => string> = {
  'one byte a character': (size) => 'x'.repeat(size),
  'two bytes a character': (size) => 'é'.repeat(size >> 1) + 'x'.repeat(size % 2),
  'three bytes a character': (size) => '語'.repeat(Math.floor(size / 3)) + 'x'.repeat(size % 3),
  'four bytes a character': (size) => '🐦'.repeat(size >> 2) + 'x'.repeat(size % 4),
};

/** Other values whose JSON text has exactly so many bytes. */
const OTHERS: Record<string, (size: number) => unknown> = {
  'an array of a text': (size) => ['x'.repeat(size - 4)],
  'an object': (size) => ({ a: 'é'.repeat((size - 8) >> 1) + 'x'.repeat(size % 2) }),
  'an array of numbers': (size) => [...Array<number>((size - 3) >> 1).fill(1), size % 2 === 0 ? 11 : 1],
  'an array of quotes': (size) => [`${'"'.repeat((size - 4) >> 1)}${'x'.repeat(size % 2)}`],
};

describe('a value has at most 1 MB', () => {
  test('in all samples, which have the sizes they say', () => {
    for (const size of [VALUE_LIMIT - 1, VALUE_LIMIT, VALUE_LIMIT + 1]) {
      for (const text of Object.values(TEXTS)) expect(Buffer.byteLength(text(size))).toBe(size);
      for (const value of Object.values(OTHERS))
        expect(Buffer.byteLength(JSON.stringify(value(size)))).toBe(size);
    }
  });

  for (const [name, sample] of Object.entries({ ...TEXTS, ...OTHERS }))
    test(`of ${name}`, async () => {
      const store = await publishStore(perch, { value: 'before' });
      for (const size of [VALUE_LIMIT - 1, VALUE_LIMIT]) {
        const value = sample(size);
        expect(await setKey(perch, store, 'first', value)).toMatchObject({ sizeBytes: size });
        expect(await holds(store, 'first', value)).toEqual(YES());
        expect((await listKeys(perch.last, store)).entries).toMatchObject([{ sizeBytes: size }]);
      }
      const kept = sample(VALUE_LIMIT);
      await expectError(await putKey(perch, store, 'first', sample(VALUE_LIMIT + 1)), 400, 'TOO_LARGE');
      expect(await holds(store, 'first', kept)).toEqual(YES());
    });

  test('in a create, too', async () => {
    const text = TEXTS['two bytes a character'] ?? String;
    const list = OTHERS['an array of a text'] ?? String;
    for (const value of [text(VALUE_LIMIT), list(VALUE_LIMIT)]) {
      const store = await publishStore(perch, { value });
      expect(store.sizeBytes).toBe(VALUE_LIMIT);
      expect(await holds(store, 'first', value)).toEqual(YES());
    }
    for (const value of [text(VALUE_LIMIT + 1), list(VALUE_LIMIT + 1)])
      await expectError(await postStore(perch, { key: 'k', value }), 400, 'TOO_LARGE');
  });

  test('of its own, however many more its escapes take', async () => {
    const store = await publishStore(perch);
    const escaped = `"${'\\u00e9'.repeat(VALUE_LIMIT / 2)}"`;
    expect((await putText(perch, store, 'k', escaped)).status).toBe(200);
    expect(await holds(store, 'k', 'é'.repeat(VALUE_LIMIT / 2))).toEqual(YES());
    await expectError(await putText(perch, store, 'k', `${escaped.slice(0, -1)}x"`), 400, 'TOO_LARGE');
  });
});

describe('a text of 1 MB whose every character is escaped', () => {
  for (const [name, character] of [
    ['quotes', '"'],
    ['backslashes', '\\'],
    ['control characters', '\u0001'],
  ] as const)
    test(`as are ${name}, comes through whole`, async () => {
      const value = character.repeat(VALUE_LIMIT);
      const store = await publishStore(perch, { key: 'created', value });
      expect(store.sizeBytes).toBe(VALUE_LIMIT);
      expect(await setKey(perch.last, store, 'put', value)).toMatchObject({ sizeBytes: VALUE_LIMIT });
      for (const key of ['created', 'put']) expect(await holds(store, key, value)).toEqual(YES());
      const over = await putKey(perch, store, 'put', `${value}${character}`);
      await expectError(over, 400, 'TOO_LARGE');
    });

  test('is written by several at once', async () => {
    const store = await publishStore(perch);
    const values = ['"', '\u0001'].map((character) => character.repeat(VALUE_LIMIT));
    const answers = await atOnce(4, (n) =>
      putKey(n % 2 === 0 ? perch : perch.last, store, `key-${n}`, values[n % 2]),
    );
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 4 });
    for (let n = 0; n < 4; n++) expect(await holds(store, `key-${n}`, values[n % 2])).toEqual(YES());
  });
});

test('a body of any size gets the same answer', async () => {
  const store = await publishStore(perch, { value: 'before' });
  for (const size of [2 * VALUE_LIMIT, 7 * VALUE_LIMIT, 20 * VALUE_LIMIT]) {
    const text = `"${'x'.repeat(size)}"`;
    await expectError(await putText(perch, store, 'first', text), 400, 'TOO_LARGE');
    const create = raw(`{"key":"k","value":${text}}`, 'application/json');
    await expectError(await perch.request('/api/kv', { method: 'POST', ...create }), 400, 'TOO_LARGE');
  }
  expect(await holds(store, 'first', 'before')).toEqual(YES());
});
