import { describe, expect, test } from 'bun:test';
import { jsonOf, type Published, type RequestOptions, raw } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import {
  getKey,
  listKeys,
  type PublishedStore,
  postStore,
  publishStore,
  putKey,
  resolveKey,
} from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const post = (body: string | Uint8Array, options: RequestOptions = {}) =>
  perch.request('/api/kv', { method: 'POST', ...raw(body, 'application/json', options) });

describe('a create', () => {
  test('answers with all there is to know, the link being that of the key', async () => {
    const response = await postStore(
      perch,
      { key: 'greeting', value: 'höllo', tags: 'X,y', ttl: 3, title: 'Words' },
      { query: { ns: 'kv-create', id: 'all' } },
    );
    const store = await jsonOf<PublishedStore>(response, 201);
    const { url } = perch;
    expect(response.headers.get('Location')).toBe(`${url}/kv-create/all`);
    expect(store).toMatchObject({
      namespace: 'kv-create',
      id: 'all',
      key: 'greeting',
      title: 'Words',
      tags: ['x', 'y'],
      url: `${url}/kv-create/all`,
      link: `${url}/kv-create/all/greeting`,
      ownerLink: `${url}/api/kv/kv-create/all`,
      sizeBytes: 6,
      ttlDays: 3,
      hasPassword: false,
    });
    expect(store.ownerToken).toStartWith('own_');
    expect(store.shortUrl).toMatch(/\/s\/[A-Za-z0-9]{7}$/);
    expect(Date.parse(store.expiresAt) - Date.parse(store.createdAt)).toBe(3 * 86_400_000);
  });

  test('holds its key at once, on every gateway and at every address', async () => {
    const store = await publishStore(perch, { key: 'k', value: { a: [1] } });
    for (const client of perch.clients) {
      expect(await getKey(client, store, 'k')).toMatchObject({ value: { a: [1] }, version: 1 });
      expect(await (await resolveKey(client, store, 'k')).json()).toEqual({ a: [1] });
      expect(await listKeys(client, store)).toMatchObject({ keys: ['k'], count: 1 });
    }
  });

  test('may have null, false, nothing and none as its value', async () => {
    for (const value of [null, false, 0, '', [], {}]) {
      const store = await publishStore(perch, { value });
      expect((await getKey(perch.last, store, 'first')).value).toEqual(value);
    }
  });

  test('takes parameters in the body, and the query before them', async () => {
    const body = { key: 'k', value: 1, namespace: 'kv-body', id: fresh('body'), ttlDays: 2, tags: ['a'] };
    const inBody = await jsonOf<PublishedStore>(await postStore(perch, body), 201);
    expect(inBody).toMatchObject({ namespace: 'kv-body', id: body.id, ttlDays: 2, tags: ['a'] });
    const query = { ns: 'kv-query', ttl: '5 days', tags: 'b' };
    const inQuery = await jsonOf<PublishedStore>(await postStore(perch, body, { query }), 201);
    expect(inQuery).toMatchObject({ namespace: 'kv-query', id: body.id, ttlDays: 5, tags: ['b'] });
  });

  test('may come with a password in the body', async () => {
    const store = await jsonOf<PublishedStore>(
      await postStore(perch, { key: 'k', value: 1, password: 'right' }),
      201,
    );
    expect(store.hasPassword).toBe(true);
    await expectError(await resolveKey(perch.last, store, 'k'), 403, 'PASSWORD_REQUIRED');
  });
});

describe('a create is refused', () => {
  test('without a key, without a value, and without both', async () => {
    await expectError(await postStore(perch, { value: 1 }), 400, 'VALIDATION_FAILED', 'key');
    await expectError(await postStore(perch, { key: 'k' }), 400, 'VALIDATION_FAILED', 'value');
    for (const body of [{}, { content: 'x' }, { Key: 'k', Value: 1 }]) {
      const { details } = await expectError(await postStore(perch, body), 400, 'VALIDATION_FAILED');
      expect(details?.map(({ field }) => field).sort()).toEqual(['key', 'value']);
    }
  });

  test('with a value that the body only seems to have', async () => {
    for (const body of ['{"key":"k","__proto__":{"value":1}}', '{"key":"k","values":{"value":1}}'])
      await expectError(await post(body), 400, 'VALIDATION_FAILED', 'value');
  });

  test('with a key that is no text', async () => {
    for (const key of [1, null, true, ['k'], { k: 1 }])
      await expectError(await postStore(perch, { key, value: 1 }), 400, 'VALIDATION_FAILED', 'key');
  });

  test('with a body that is no JSON object', async () => {
    const latin1 = Uint8Array.from(Buffer.from('{"key":"k","value":"é"}', 'latin1'));
    const bodies = [
      ...[
        '',
        ' ',
        'null',
        '1',
        '"k"',
        '["k",1]',
        '{',
        '{"key":"k","value":}',
        '{"key":"k",}',
        'key=k&value=1',
      ],
      ...["{'key':'k','value':1}", '{"key":"k","value":NaN}', '{"key":"k","value":01}', '{}{}', latin1],
    ];
    for (const body of bodies) await expectError(await post(body), 400, 'JSON_INVALID');
  });

  test('with a body that has several faults, all of which are named', async () => {
    const body = { key: 'a/b', ns: 'No', ttl: 31 };
    const { details } = await expectError(await postStore(perch, body), 400, 'VALIDATION_FAILED');
    expect(details?.map(({ field }) => field).sort()).toEqual(['key', 'ns', 'ttl', 'value']);
  });

  test('and leaves nothing behind', async () => {
    const id = fresh('refused');
    await expectError(await postStore(perch, { key: 'k' }, { query: { id } }), 400, 'VALIDATION_FAILED');
    await expectError(await perch.request(`/api/kv/public/${id}`), 404, 'NOT_FOUND');
    expect((await postStore(perch, { key: 'k', value: 1 }, { query: { id } })).status).toBe(201);
  });
});

describe('an address', () => {
  test('that fifty stores want at once is given to one, with its own key and owner', async () => {
    for (const ns of ['public', 'kv-race']) {
      const query = { ns, id: fresh('race') };
      const answers = await atOnce(50, (n) =>
        postStore(n % 2 === 0 ? perch : perch.last, { key: `key-${n}`, value: n }, { query }),
      );
      expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 49 });
      const winner = answers.findIndex(({ status }) => status === 201);
      for (const [n, answer] of answers.entries())
        if (n !== winner) await expectError(answer, 409, 'ID_TAKEN');
      const store = await jsonOf<PublishedStore>(answers[winner] ?? new Response(), 201);
      for (const client of perch.clients) {
        expect(await listKeys(client, store)).toMatchObject({ keys: [`key-${winner}`], count: 1 });
        expect((await getKey(client, store, `key-${winner}`)).value).toBe(winner);
      }
      expect((await putKey(perch.last, store, 'more', 1)).status).toBe(200);
    }
  });

  test('that fifty stores and pages want at once is given to one', async () => {
    const query = { id: fresh('race') };
    const answers = await atOnce(50, (n) =>
      n % 2 === 0
        ? postStore(perch, { key: 'k', value: n }, { query })
        : perch.last.post(raw(`<p>${n}`, 'text/html', { query })),
    );
    expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 49 });
    const winner = answers.findIndex(({ status }) => status === 201);
    const { namespace, id } = await jsonOf<Published>(answers[winner] ?? new Response(), 201);
    const rest = winner % 2 === 0 ? '/k' : '';
    const expected = winner % 2 === 0 ? String(winner) : `<p>${winner}`;
    // A page in `public` begins with its meta tags.
    expect(await (await perch.last.request(`/${namespace}/${id}${rest}`)).text()).toEndWith(expected);
  });

  test('is another one for each of fifty stores that name none', async () => {
    const stores = await atOnce(50, (n) => publishStore(n % 2 === 0 ? perch : perch.last, { value: n }));
    expect(new Set(stores.map(({ id }) => id)).size).toBe(50);
    expect(new Set(stores.map(({ ownerToken }) => ownerToken)).size).toBe(50);
    for (const [n, store] of stores.entries()) expect((await getKey(perch, store, 'first')).value).toBe(n);
  });
});
