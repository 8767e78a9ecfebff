import { beforeAll, describe, expect, test } from 'bun:test';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { lineOf, witness } from './support/access-log.ts';
import { type Client, ownedBy, type RequestOptions, raw } from './support/client.ts';
import { atOnce, eventually, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { fastPathAnswers } from './support/fast-paths.ts';
import {
  getKey,
  keyPath,
  publishStore,
  putKey,
  putText,
  removeKey,
  resolveKey,
  setKey,
  storePath,
  type WrittenKey,
} from './support/kv-client.ts';
import { usePerch } from './support/perch.ts';

const LIMIT = 120;
const perch = usePerch({
  gateways: 2,
  kvs: 2,
  env: { ADMIN_PASSWORD, TRUST_PROXY: '1', LIMIT_CHANGES_PER_HOUR: String(LIMIT) },
});

/** A condition that every value meets: the write takes the normal path. */
const NORMALLY = { 'If-Match': '*' };

/** Headers that differ for each request. */
const OWN = ['date', 'etag', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset'];

let clients = 0;
/** The headers of a client of its own. */
const someone = () => ({ 'X-Forwarded-For': `10.8.${++clients >> 8}.${clients & 255}` });

/** Writes of one gateway on the fast path so far. */
const hotPuts = (client: Client = perch): Promise<number> => fastPathAnswers(client, 'puts');

/** An answer without what is its request's own. */
async function answerOf(response: Response) {
  const headers = [...response.headers].filter(([name]) => !OWN.includes(name)).toSorted();
  const body = { ...((await response.json()) as WrittenKey), version: 0, updatedAt: '' };
  return { status: response.status, headers, body };
}

const leftOf = ({ headers }: Response): number => Number(headers.get('RateLimit-Remaining'));

// A gateway takes its first answer for the pattern of all others.
beforeAll(async () => {
  const store = await publishStore(perch);
  for (const client of perch.clients) {
    await eventually(async () => {
      await setKey(client, store, 'first', 'x', { headers: someone() });
      return (await hotPuts(client)) > 0;
    });
  }
});

const VALUES: Array<[what: string, value: unknown]> = [
  ['a text', 'Grüße & <b>Küsse</b> 😀'],
  ['an empty text', ''],
  ['null', null],
  ['a list', [1, { deep: [null] }]],
  ['a text of 10 KB', 'x'.repeat(10_000)],
];

describe('the fast path for writes of keys', () => {
  test.each(VALUES)('answers %s as the normal path does', async (_, value) => {
    const store = await publishStore(perch, { key: 'a-key', value: 'old' });
    const headers = someone();
    const before = await hotPuts();
    const first = await putKey(perch, store, 'a-key', value, { headers: { ...headers, ...NORMALLY } });
    const others: Response[] = [];
    for (let n = 0; n < 4; n++) others.push(await putKey(perch, store, 'a-key', value, { headers }));
    expect((await hotPuts()) - before).toBeGreaterThan(0);
    const responses = [first, ...others];
    expect(responses.map(leftOf)).toEqual([1, 2, 3, 4, 5].map((n) => LIMIT - n));
    for (const name of ['ETag', 'X-Request-Id'])
      expect(new Set(responses.map((response) => response.headers.get(name))).size).toBe(5);
    const tags = others.map((response) => response.headers.get('ETag'));
    const answers = await Promise.all(responses.map(answerOf));
    for (const answer of answers) expect(answer).toEqual(answers[0] ?? answer);
    expect(answers[0]).toMatchObject({ status: 200, body: { key: 'a-key', created: false } });
    for (const client of perch.clients) {
      const read = await client.request(keyPath(store, 'a-key'));
      expect(read.headers.get('ETag')).toBe(tags.at(-1) ?? '');
      expect(await read.json()).toMatchObject({ value, version: 6 });
    }
  });

  test('keeps the numbers of a value as they were written', async () => {
    const store = await publishStore(perch);
    for (const text of ['1.50', '12345678901234567890', '1e3', '-0']) {
      expect((await putText(perch, store, 'first', text)).status).toBe(200);
      expect(await (await perch.request(keyPath(store, 'first'))).text()).toContain(`"value":${text},`);
    }
  });

  test('writes many keys at once, each once, for all who read them', async () => {
    const store = await publishStore(perch);
    const keys = Array.from({ length: 40 }, (_, n) => `k${n}`);
    for (const key of keys) await setKey(perch, store, key, 'old', { headers: someone() });
    const before = await hotPuts();
    const headers = someone();
    const written = await atOnce(80, async (n) => {
      const response = await putKey(perch, store, keys[n % 40] ?? '', n, { headers });
      return { left: leftOf(response), ...((await response.json()) as WrittenKey) };
    });
    expect((await hotPuts()) - before).toBeGreaterThan(0);
    expect(written.map(({ left }) => left).toSorted((a, b) => b - a)).toEqual(
      written.map((_, n) => LIMIT - 1 - n),
    );
    for (const key of keys) {
      const versions = written.filter((one) => one.key === key).map(({ version }) => version);
      expect(versions.toSorted()).toEqual([2, 3]);
      const [latest] = [...written.entries()].filter(([, one]) => one.key === key && one.version === 3);
      for (const client of perch.clients)
        expect(await getKey(client, store, key)).toMatchObject({ value: latest?.[0], version: 3 });
    }
  });

  test('counts each against the limit, exactly, also when they come at once to two gateways', async () => {
    const store = await publishStore(perch);
    const headers = someone();
    const answers = await atOnce(LIMIT + 30, (n) =>
      putKey(perch.clients[n % 2] ?? perch, store, 'first', n, { headers }),
    );
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: LIMIT, 429: 30 });
    await expectError(await putKey(perch, store, 'first', 'more', { headers }), 429, 'RATE_LIMITED');
    expect(await getKey(perch, store, 'first')).toMatchObject({ version: LIMIT + 1 });
  });

  test('leaves to the normal path what is out of the ordinary, alone and among others', async () => {
    const [store, other] = [await publishStore(perch), await publishStore(perch)];
    await publishStore(perch, {}, { query: { ns: 'hot-puts', id: 'gone' } }).then((gone) =>
      perch.request(storePath(gone), { method: 'DELETE', ...ownedBy(gone) }),
    );
    const put = (key: string, options: RequestOptions = {}) =>
      perch.request(keyPath(store, key), {
        method: 'PUT',
        ...ownedBy(store),
        ...(options.body === undefined ? { json: { value: 'new' } } : {}),
        ...options,
      });
    const bytes = (text: string | Uint8Array): RequestOptions =>
      raw(text, 'application/json', ownedBy(store));
    const odd: Array<[answer: () => Promise<Response>, status: number, code: string, field?: string]> = [
      [() => put('first', { headers: {} }), 403, 'OWNER_TOKEN_REQUIRED'],
      [() => put('first', ownedBy(other)), 403, 'OWNER_TOKEN_WRONG'],
      [() => put('first', bytes('{"value":')), 400, 'JSON_INVALID'],
      [() => put('first', bytes('[1]')), 400, 'JSON_INVALID'],
      [() => put('first', bytes('{"valu":1}')), 400, 'VALIDATION_FAILED', 'value'],
      [() => put('first', bytes(new Uint8Array([0x7b, 0xff, 0x7d]))), 400, 'JSON_INVALID'],
      [() => put('x'.repeat(257)), 400, 'VALIDATION_FAILED', 'key'],
      [
        () => put('first', { headers: { ...ownedBy(store).headers, 'If-Match': '"none"' } }),
        412,
        'PRECONDITION_FAILED',
      ],
      [
        () => put('first', { headers: { ...ownedBy(store).headers, 'If-None-Match': '*' } }),
        412,
        'PRECONDITION_FAILED',
      ],
      [
        () =>
          perch.request('/api/kv/hot-puts/gone/first', {
            method: 'PUT',
            ...ownedBy(store),
            json: { value: 1 },
          }),
        404,
        'NOT_FOUND',
      ],
      [
        () =>
          perch.request('/api/kv/hot-puts/never/first', {
            method: 'PUT',
            ...ownedBy(store),
            json: { value: 1 },
          }),
        404,
        'NOT_FOUND',
      ],
    ];
    for (const [answer, status, code, field] of odd) await expectError(await answer(), status, code, field);
    const [plain, failed] = await Promise.all([
      atOnce(20, (n) => putKey(perch, store, 'first', n, { headers: someone() })),
      Promise.all(odd.map(([answer]) => answer())),
    ]);
    expect(tally(plain.map(({ status }) => status))).toEqual({ 200: 20 });
    expect(failed.map(({ status }) => status)).toEqual(odd.map(([, status]) => status));
    expect(await getKey(perch, store, 'first')).toMatchObject({ version: 21 });
    // In the query, a token is one, too.
    const { ownerToken: token } = store;
    const byQuery = { method: 'PUT', query: { token }, json: { value: 'by query' } };
    expect((await perch.request(keyPath(store, 'first'), byQuery)).status).toBe(200);
    expect(await getKey(perch, store, 'first')).toMatchObject({ value: 'by query' });
  });

  test('makes a key that is not there, and one that was removed', async () => {
    const store = await publishStore(perch);
    expect(await setKey(perch, store, 'k', 1)).toMatchObject({ created: true, version: 1 });
    expect(await setKey(perch, store, 'k', 2)).toMatchObject({ created: false, version: 2 });
    await removeKey(perch.last, store, 'k');
    expect(await setKey(perch, store, 'k', 3)).toMatchObject({ created: true, version: 1 });
    for (const client of perch.clients) expect(await (await resolveKey(client, store, 'k')).text()).toBe('3');
  });

  test('is in the log as the normal path is', async () => {
    const store = await publishStore(perch);
    const writer = witness(perch);
    const headers = { ...someone(), Referer: 'https://example.org/?token=secret' };
    for (const own of [{}, {}, {}, {}, NORMALLY])
      expect((await putKey(writer, store, 'first', 1, { headers: { ...headers, ...own } })).status).toBe(200);
    const entries = await writer.logged();
    const path = keyPath(store, 'first');
    expect(entries.map(lineOf)).toEqual(Array(5).fill(`PUT ${path} 200 kv ${store.namespace}/${store.id}`));
    const normal = entries.at(-1);
    for (const entry of entries)
      expect({ ...entry, id: 0, requestId: '', createdAt: '', durationMs: 0 }).toEqual({
        ...normal,
        id: 0,
        requestId: '',
        createdAt: '',
        durationMs: 0,
      } as typeof entry & { id: number });
  });
});
