import { describe, expect, test } from 'bun:test';
import { type Client, jsonOf, raw } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { getKey, keyPath, type OwnedStore, publishStore, resolveKey, setKey } from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

interface Changed {
  key: string;
  value?: number;
  version: number;
  sizeBytes: number;
  created: boolean;
}

const post = (
  client: Client,
  store: OwnedStore,
  address: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  client.request(`${keyPath(store, '')}${address}`, {
    method: 'POST',
    headers: { 'X-Owner-Token': store.ownerToken, ...headers },
    ...(body === undefined ? {} : { json: body }),
  });

const change = async (...args: Parameters<typeof post>): Promise<Changed> =>
  await jsonOf<Changed>(await post(...args));

/** The client of one gateway after the other. */
const nth = (n: number): Client => perch.clients[n % perch.clients.length] ?? perch.last;

describe('increment', () => {
  test('of 50 writers on all gateways is exact, and each gets the number that it made', async () => {
    const store = await publishStore(perch);
    const done = await atOnce(50, (n) => change(nth(n), store, 'visits/increment', { by: n + 1 }));
    expect(done.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 1),
    );
    expect(Math.max(...done.map(({ value }) => value ?? 0))).toBe(1_275);
    for (const client of perch.clients)
      expect(await getKey(client, store, 'visits')).toMatchObject({ value: 1_275, version: 50 });
  });

  test('begins at 0, adds 1 without a body, and answers as a write does', async () => {
    const store = await publishStore(perch);
    const response = await post(perch, store, 'n/increment');
    const etag = response.headers.get('ETag') ?? '';
    expect(await jsonOf<Changed>(response)).toMatchObject({
      key: 'n',
      value: 1,
      version: 1,
      sizeBytes: 1,
      created: true,
      link: expect.stringContaining(`/${store.id}/n`),
    });
    expect((await resolveKey(perch.last, store, 'n')).headers.get('ETag')).toBe(etag);
    expect(await change(perch.last, store, 'n/increment', { by: -3 })).toMatchObject({
      value: -2,
      created: false,
    });
    expect(await change(perch, store, 'n/increment', {})).toMatchObject({ value: -1, version: 3 });
    // A key with a name that has to be encoded.
    expect(
      await change(perch, store, `${encodeURIComponent('a b/é'.replace('/', ''))}/increment`),
    ).toMatchObject({
      key: 'a bé',
    });
  });

  test('refuses what is no whole number, and changes nothing', async () => {
    const store = await publishStore(perch);
    for (const by of [1.5, '1', null, true, [1], 2 ** 53, 1e300])
      await expectError(await post(perch, store, 'n/increment', { by }), 400, 'VALIDATION_FAILED');
    for (const body of ['[]', '"x"', '{', '5'])
      await expectError(
        await perch.request(`${keyPath(store, 'n')}/increment`, {
          method: 'POST',
          ...raw(body, 'application/json', { headers: { 'X-Owner-Token': store.ownerToken } }),
        }),
        400,
        'JSON_INVALID',
      );
    const incrementBy = (by: string) =>
      perch.request(`${keyPath(store, 'n')}/increment`, {
        method: 'POST',
        ...raw(`{"by": ${by}}`, 'application/json', { headers: { 'X-Owner-Token': store.ownerToken } }),
      });
    for (const by of ['9007199254740990.9', '0.99999999999999999', '1.00000000000000001'])
      await expectError(await incrementBy(by), 400, 'VALIDATION_FAILED');
    await expectError(await resolveKey(perch, store, 'n'), 404, 'NOT_FOUND');
    for (const [by, value] of [
      ['1e3', 1_000],
      ['5.000000000000000000', 1_005],
    ] as const)
      expect(await (await incrementBy(by)).json()).toMatchObject({ value });
    await setKey(perch, store, 'text', '1');
    await expectError(await post(perch, store, 'text/increment'), 409, 'VALUE_MISMATCH');
    expect((await getKey(perch, store, 'text')).value).toBe('1');
  });
});

describe('append', () => {
  test('of 50 writers on all gateways loses nothing', async () => {
    const store = await publishStore(perch);
    await atOnce(50, (n) => change(nth(n), store, 'log/append', { value: n }));
    const { value } = await getKey(perch.last, store, 'log');
    expect((value as number[]).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  test('adds text to a text and any value to a list', async () => {
    const store = await publishStore(perch, { key: 'text', value: 'one' });
    expect(await change(perch, store, 'text/append', { value: ', zwei ü' })).toMatchObject({ sizeBytes: 12 });
    expect(await (await resolveKey(perch.last, store, 'text')).text()).toBe('one, zwei ü');
    await change(perch, store, 'list/append', { value: { a: 1.5 } });
    await change(perch.last, store, 'list/append', { value: ['x'] });
    expect((await getKey(perch, store, 'list')).value).toEqual([{ a: 1.5 }, ['x']]);
    await expectError(await post(perch, store, 'text/append', { value: 1 }), 409, 'VALUE_MISMATCH');
    await expectError(await post(perch, store, 'text/append', {}), 400, 'VALIDATION_FAILED');
  });

  test('never nests a value deeper than values may be', async () => {
    const store = await publishStore(perch);
    const nested = (levels: number) =>
      perch.request(`${keyPath(store, 'deep')}/append`, {
        method: 'POST',
        ...raw(`{"value":${'['.repeat(levels)}${']'.repeat(levels)}}`, 'application/json', {
          headers: { 'X-Owner-Token': store.ownerToken },
        }),
      });
    expect((await nested(511)).status).toBe(200);
    await expectError(await nested(512), 400, 'JSON_INVALID');
  });
});

/** An answer without its links, which name the gateway that was asked. */
const madeBy = (answer: (Changed & { updatedAt?: string }) | undefined): string =>
  JSON.stringify([answer?.value, answer?.version, answer?.created, answer?.updatedAt]);

test('an Idempotency-Key makes a change once, on whatever gateway it is repeated', async () => {
  const store = await publishStore(perch);
  const once = { 'Idempotency-Key': crypto.randomUUID() };
  const done = await atOnce(20, (n) => change(nth(n), store, 'n/increment', { by: 2 }, once));
  expect(new Set(done.map(madeBy)).size).toBe(1);
  await change(perch, store, 'n/increment', { by: 1 });
  expect(madeBy(await change(perch.last, store, 'n/increment', { by: 2 }, once))).toBe(madeBy(done[0]));
  expect((await getKey(perch, store, 'n')).value).toBe(3);
  for (const [address, body] of [
    ['n/increment', { by: 3 }],
    ['n/append', { value: 2 }],
    ['m/increment', { by: 2 }],
  ] as const)
    await expectError(await post(perch, store, address, body, once), 400, 'VALIDATION_FAILED');
  await expectError(
    await post(perch, store, 'n/increment', {}, { 'Idempotency-Key': 'short' }),
    400,
    'VALIDATION_FAILED',
  );
  // The store is looked for first.
  const missing = { ...store, id: 'nothing-is-here' };
  await expectError(
    await post(perch, missing, 'n/increment', {}, { 'Idempotency-Key': 'short' }),
    404,
    'NOT_FOUND',
  );
});

test('only the owner changes a value, on conditions that hold, and in a store that is there', async () => {
  const store = await publishStore(perch, { key: 'n', value: 1 });
  for (const address of ['n/increment', 'n/append']) {
    const body = { value: 1 };
    const stranger = { ...store, ownerToken: 'own_of-somebody-else-entirely' };
    await expectError(await post(perch, stranger, address, body), 403, 'OWNER_TOKEN_WRONG');
    await expectError(
      await perch.request(`${keyPath(store, '')}${address}`, { method: 'POST', json: body }),
      403,
      'OWNER_TOKEN_REQUIRED',
    );
    await expectError(await post(perch, { ...store, id: 'nothing' }, address, body), 404, 'NOT_FOUND');
    await expectError(
      await post(perch, store, address, body, { 'If-Match': '"1"' }),
      412,
      'PRECONDITION_FAILED',
    );
    await expectError(
      await post(perch, store, address, body, { 'If-None-Match': '*' }),
      412,
      'PRECONDITION_FAILED',
    );
    await expectError(await post(perch, store, `${'k'.repeat(257)}/increment`), 400, 'VALIDATION_FAILED');
  }
  const etag = (await resolveKey(perch, store, 'n')).headers.get('ETag') ?? '';
  const statuses = await atOnce(
    10,
    async (n) => (await post(nth(n), store, 'n/increment', {}, { 'If-Match': etag })).status,
  );
  expect(tally(statuses)).toEqual({ 200: 1, 412: 9 });
});
