import { describe, expect, test } from 'bun:test';
import { raw } from './support/client.ts';
import { expectError } from './support/errors.ts';
import {
  getKey,
  keyPath,
  type PublishedStore,
  publishStore,
  putText,
  resolveKey,
  setKey,
} from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

/** A store whose first key has a value given as JSON text. */
async function storeWith(text: string): Promise<PublishedStore> {
  const body = raw(`{"key":"k","value":${text}}`, 'application/json');
  const response = await perch.request('/api/kv', { method: 'POST', ...body });
  expect(response.status).toBe(201);
  return (await response.json()) as PublishedStore;
}

/** The JSON text of a value as the API gives it, on every gateway the same. */
async function textOf(store: PublishedStore, key: string): Promise<string> {
  const texts = await Promise.all(
    perch.clients.map(async (client) => {
      const answer = await (await client.request(keyPath(store, key))).text();
      return answer.slice(answer.indexOf('"value":') + 8, answer.lastIndexOf(',"version":'));
    }),
  );
  expect(new Set(texts).size).toBe(1);
  return texts[0] ?? '';
}

const bareOf = async (store: PublishedStore, key: string) =>
  await (await resolveKey(perch.last, store, key)).text();

describe('a value comes back as what it was', () => {
  const VALUES: Record<string, unknown> = {
    null: null,
    true: true,
    false: false,
    zero: 0,
    'a number': -12.5,
    'no text': '',
    text: 'plain',
    'text that is JSON': '{"a":1}',
    'text of all widths': 'é語🐦👩‍👩‍👧 \u{10ffff} \ufeff \u2028\u2029',
    'text with control characters': '\u0000\u0001\b\t\n\f\r\u001f\u007f\u0080',
    'quotes and backslashes': '"\\"/\\\\\'`',
    'halves of surrogate pairs': ['\ud83d', '\udc26', '\udc26\ud83d'],
    'no array': [],
    'arrays in arrays': [[], [[1, [2]]], [null, [true, '']]],
    'no object': {},
    'an object': { a: 1, b: { c: [null] }, '': 2, 'a b': 3, '🐦': 4, '"': 5, '10': 6, '9': 7 },
    'names that objects have': { constructor: 1, toString: 2, hasOwnProperty: 3, value: { value: 4 } },
    'the name of the prototype': JSON.parse('{"__proto__":{"a":1},"b":2}') as unknown,
    markup: '<script>alert(1)</script>&amp;',
    'a long list': Array.from({ length: 20_000 }, (_, n) => n),
  };
  for (const [name, value] of Object.entries(VALUES))
    test(name, async () => {
      const created = await publishStore(perch, { value });
      await setKey(perch.last, created, 'put', value);
      for (const key of ['first', 'put'])
        for (const client of perch.clients) {
          // Compared as text: to the matchers a prototype is no property.
          expect(JSON.stringify((await getKey(client, created, key)).value)).toBe(JSON.stringify(value));
          const bare = await resolveKey(client, created, key);
          if (typeof value === 'string') expect(await bare.text()).toBe(value.replace(/^\ufeff/, ''));
          else expect(JSON.stringify(await bare.json())).toBe(JSON.stringify(value));
        }
    });
});

describe('numbers come back as they were written', () => {
  const NUMBERS = [
    ...['12345678901234567890', '-9007199254740993', '123456789012345678901234567890.123456789'],
    ...[
      '1.10',
      '1.0',
      '0.0',
      '-0',
      '-0.0',
      '100',
      '1e400',
      '-1e400',
      '1e-400',
      '1E5',
      '1e+5',
      '1e5',
      '1.0e0',
    ],
    ...['0.1', '0.10', '0.1000000000000000055511151231257827', '1e-7', '0.0000001', '0.00000010'],
    ...['9007199254740992', '9007199254740993', '1.7976931348623157e308', '1.7976931348623159e308', '5e-324'],
    `1${'0'.repeat(400)}`,
    `0.${'3'.repeat(400)}`,
  ];

  test('each by itself', async () => {
    const store = await publishStore(perch);
    for (const number of NUMBERS) {
      expect((await putText(perch, store, 'k', number)).status).toBe(200);
      expect(await textOf(store, 'k')).toBe(number);
      expect(await bareOf(store, 'k')).toBe(number);
    }
  });

  test('within lists and objects, also in a create', async () => {
    const list = `[${NUMBERS.join(',')}]`;
    const object = `{"a":1.10,"b":{"c":[1e400,{"d":12345678901234567890}]},"e":"1.10 and 1e400","f":-0}`;
    for (const text of [list, object]) {
      const store = await storeWith(text);
      expect(await textOf(store, 'k')).toBe(text);
      expect(await bareOf(store, 'k')).toBe(text);
      await putText(perch.last, store, 'put', text);
      expect(await textOf(store, 'put')).toBe(text);
    }
  });

  test('and texts that look like them stay texts', async () => {
    for (const text of ['1.10', '1e400', '-0', '[1.10]', '12345678901234567890']) {
      const store = await publishStore(perch, { value: text });
      expect((await getKey(perch.last, store, 'first')).value).toBe(text);
      expect(await bareOf(store, 'first')).toBe(text);
    }
    const store = await storeWith('{"1.10":"1.10","n":1.10,"s":"\\u0031.10"}');
    expect(await bareOf(store, 'k')).toBe('{"1.10":"1.10","n":1.10,"s":"1.10"}');
  });

  test('and what is no number of JSON is refused', async () => {
    const store = await publishStore(perch);
    for (const text of ['01', '.5', '5.', '+1', '0x10', 'NaN', 'Infinity', '1e', '1_000', '--1', '1 2', ''])
      await expectError(await putText(perch, store, 'k', text), 400, 'JSON_INVALID');
  });
});

describe('nesting', () => {
  const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

  test('goes as deep as in a JSON document, 512, and no deeper', async () => {
    const store = await publishStore(perch);
    const deep = nested(512, '[', ']');
    expect((await putText(perch, store, 'k', deep)).status).toBe(200);
    expect(await textOf(store, 'k')).toBe(deep);
    expect(await bareOf(store, 'k')).toBe(deep);
    await expectError(await putText(perch, store, 'k', nested(513, '[', ']')), 400, 'JSON_INVALID');
    expect(await bareOf(store, 'k')).toBe(deep);
  });

  test('of a hundred thousand levels is refused cleanly', async () => {
    const store = await publishStore(perch);
    const hostile = [nested(100_000, '[', ']'), nested(100_000, '{"a":', '}'), '['.repeat(500_000)];
    for (const text of [...hostile, `${'{"a":'.repeat(100_000)}1.10${'}'.repeat(100_000)}`])
      await expectError(await putText(perch, store, 'k', text), 400, 'JSON_INVALID');
  });
});
