import { afterAll, beforeAll, expect, test } from 'bun:test';
import { CACHED_VALUE_BYTES } from '../../shared/items/entry.ts';
import { type Instance, startInstance } from '../instance.ts';
import { START_LIMIT_MS } from '../servers.ts';

/** The KV records of a whole gateway, over HTTP. */
let perch: Instance | undefined;
beforeAll(async () => {
  perch = await startInstance({ mode: 'embedded', joined: true });
}, START_LIMIT_MS);
afterAll(() => perch?.stop(), START_LIMIT_MS);

interface Created {
  namespace: string;
  id: string;
  url: string;
  link: string;
  ownerToken: string;
}

const JSON_ANSWER = expect.stringMatching(/^application\/json/);

async function send(method: string, path: string, options: { body?: string; headers?: object } = {}) {
  const { body, headers } = options;
  const response = await fetch(`${perch?.url}${path}`, {
    method,
    headers: { 'User-Agent': 'KvTest/1.0', ...headers },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const bodyOf = async (sent: ReturnType<typeof send>) =>
  JSON.parse((await sent).text) as Record<string, unknown>;

const create = async (value = '"one"', query = '', headers = {}): Promise<Created> => {
  const sent = await send('POST', `/api/kv${query}`, { body: `{"key":"first","value":${value}}`, headers });
  expect([sent.status, sent.text.slice(0, 300)]).toEqual([201, expect.anything()]);
  return JSON.parse(sent.text) as Created;
};
const api = ({ namespace, id }: Created, key?: string): string =>
  `/api/kv/${namespace}/${id}${key === undefined ? '' : `/${encodeURIComponent(key)}`}`;
const shortUrl = (store: Created, key: string): string =>
  `/${store.namespace}/${store.id}/${encodeURIComponent(key)}`;
const owner = ({ ownerToken }: Created, more = {}) => ({ headers: { 'X-Owner-Token': ownerToken, ...more } });
const put = (store: Created, key: string, value: string, more = {}) =>
  send('PUT', api(store, key), { body: `{"value":${value}}`, ...owner(store, more) });

test('a create answers with the store and its key', async () => {
  const sent = await send('POST', '/api/kv?ttl=7d&tags=a,B', {
    body: '{"key":"a b?","value":1}',
    headers: { 'X-Password': 'secret' },
  });
  expect(sent.status).toBe(201);
  const store = JSON.parse(sent.text) as Created;
  const url = `${perch?.url}/public/${store.id}`;
  expect(sent.headers.get('location')).toBe(url);
  expect(store).toMatchObject({
    namespace: 'public',
    url,
    link: `${url}/a%20b%3F`,
    ownerLink: `${perch?.url}${api(store)}`,
    key: 'a b?',
    sizeBytes: 1,
    tags: ['a', 'b'],
    ttlDays: 7,
    hasPassword: true,
  });
});

test('every fault of a create is named', async () => {
  const faulty = async (body: string, query = '') => {
    const { code, details } = await bodyOf(send('POST', `/api/kv${query}`, { body }));
    return [code, ...((details ?? []) as Array<{ field: string }>).map(({ field }) => field)];
  };
  expect(await faulty('{}')).toEqual(['VALIDATION_FAILED', 'key', 'value']);
  expect(await faulty('{"key":"a/b","value":null}')).toEqual(['VALIDATION_FAILED', 'key']);
  expect(await faulty('{"key":"..","value":null}')).toEqual(['VALIDATION_FAILED', 'key']);
  expect(await faulty('{"key":7,"value":null,"ttl":99}')).toEqual(['VALIDATION_FAILED', 'ttl', 'key']);
  expect(await faulty('{"key":"k","value":1', '')).toEqual(['JSON_INVALID']);
  expect(await faulty(`{"key":"k","value":"${'x'.repeat(1_048_577)}"}`)).toEqual(['TOO_LARGE']);
});

test('a value is read as it was written, by the API and bare', async () => {
  const store = await create('[12345678901234567890, 1.10, 1e400]');
  const value = '[12345678901234567890,1.10,1e400]';
  const read = await send('GET', api(store, 'first'));
  expect(read.text).toContain(`"value":${value},`);
  expect(JSON.parse(read.text)).toMatchObject({
    key: 'first',
    version: 1,
    views: 0,
    updatedAt: expect.any(String),
  });
  const bare = await send('GET', shortUrl(store, 'first'));
  expect([bare.text, bare.headers.get('content-type')]).toEqual([value, JSON_ANSWER]);
  expect(bare.headers.get('etag')).toBe(read.headers.get('etag'));
  expect(bare.headers.get('cache-control')).toBe('no-cache');
  expect(bare.headers.get('x-views')).toBe('1');
  expect(bare.headers.get('content-security-policy')).toStartWith('sandbox');

  await put(store, 'first', '"<b>ä\\u0000"');
  const text = await send('GET', shortUrl(store, 'first'));
  expect([text.text, text.headers.get('content-type')]).toEqual(['<b>ä\0', 'text/plain; charset=utf-8']);
  const saved = await send('GET', `${shortUrl(store, 'first')}?dl`);
  expect(saved.headers.get('content-disposition')).toContain('filename="first.txt"');
  expect((await send('GET', api(store, 'first'))).text).toContain('"views":3');
});

test('values too large for the cache are read as they were written last', async () => {
  const store = await create();
  for (const size of [CACHED_VALUE_BYTES + 1, 3, 1_048_576, CACHED_VALUE_BYTES + 1]) {
    await put(store, 'first', JSON.stringify('\u0001'.repeat(size)));
    const reads = await Promise.all(Array.from({ length: 5 }, () => send('GET', shortUrl(store, 'first'))));
    expect(reads.map(({ status, text }) => [status, text.length])).toEqual(reads.map(() => [200, size]));
  }
  expect((await send('HEAD', shortUrl(store, 'first'))).status).toBe(200);
});

test('keys of all sorts, and addresses of none', async () => {
  const store = await create();
  for (const key of ['a b', '%', '%2F', '?#', 'ключ', '😀', '...', '\\', '+', '~1']) {
    const written = await put(store, key, '1');
    expect([key, written.status]).toEqual([key, 200]);
    const { link, ownerLink } = JSON.parse(written.text) as { link: string; ownerLink: string };
    for (const address of [link, ownerLink]) {
      expect((await send('GET', address.replace(perch?.url ?? '', ''))).status).toBe(200);
    }
    expect(await bodyOf(send('GET', api(store, key)))).toMatchObject({ key, value: 1 });
  }
  expect((await put(store, 'a/b', '1')).status).toBe(400);
  expect((await put(store, 'x'.repeat(257), '1')).status).toBe(400);
  for (const key of ['nothing', 'a/b', 'a\n', 'x'.repeat(257)]) {
    expect((await send('GET', api(store, key))).status).toBe(404);
    expect((await send('GET', shortUrl(store, key))).status).toBe(404);
    expect((await send('DELETE', api(store, key), owner(store))).status).toBe(404);
  }
  // In a short URL a percent sign that encodes nothing stands for itself, as browsers leave it in a link.
  for (const [malformed, status] of [
    ['%', 200],
    ['%ff', 404],
    ['%E0%A4', 404],
  ] as const) {
    expect((await send('GET', `${api(store)}/${malformed}`)).status).toBe(404);
    expect((await send('GET', `/${store.namespace}/${store.id}/${malformed}`)).status).toBe(status);
    expect((await send('PUT', `${api(store)}/${malformed}`, owner(store))).status).toBe(404);
  }
});

test('conditions on reads and writes', async () => {
  const store = await create();
  const tag = (await send('GET', api(store, 'first'))).headers.get('etag') ?? '';
  for (const path of [api(store, 'first'), shortUrl(store, 'first')]) {
    const unchanged = await send('GET', path, { headers: { 'If-None-Match': tag } });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
  }
  const changed = await put(store, 'first', '2', { 'If-Match': tag });
  expect(JSON.parse(changed.text)).toMatchObject({ created: false, version: 2, sizeBytes: 1 });
  expect(changed.headers.get('etag')).not.toBe(tag);
  expect((await put(store, 'first', '3', { 'If-Match': tag })).status).toBe(412);
  expect((await put(store, 'first', '3', { 'If-Match': 'W/"a"' })).status).toBe(412);
  expect((await put(store, 'first', '3', { 'If-None-Match': '*' })).status).toBe(412);
  expect((await put(store, 'first', '3', { 'If-Match': '*' })).status).toBe(200);
  expect((await put(store, 'new', '3', { 'If-Match': '*' })).status).toBe(412);
  expect(JSON.parse((await put(store, 'new', '3', { 'If-None-Match': '*' })).text)).toMatchObject({
    created: true,
  });
  const remove = (key: string, more = {}) => send('DELETE', api(store, key), owner(store, more));
  expect((await remove('first', { 'If-Match': tag })).status).toBe(412);
  expect((await remove('gone', { 'If-Match': '*' })).status).toBe(412);
  expect((await remove('first')).status).toBe(204);
  expect((await send('GET', shortUrl(store, 'first'))).status).toBe(404);
});

test('a write is checked for the store, then its owner, then itself', async () => {
  const store = await create();
  const path = api(store, 'a/b');
  expect((await send('PUT', '/api/kv/public/nothing0000/a%2Fb', { body: '[' })).status).toBe(404);
  expect((await send('PUT', path, { body: '[' })).status).toBe(403);
  expect((await send('PUT', path, { body: '[', headers: { 'X-Owner-Token': 'x'.repeat(20) } })).status).toBe(
    403,
  );
  expect((await send('PUT', path, { body: '[', ...owner(store) })).status).toBe(400);
  const page = await send('POST', '/api/html', { body: '<p>page', headers: { 'Content-Type': 'text/html' } });
  const html = JSON.parse(page.text) as Created;
  for (const method of ['GET', 'PUT', 'DELETE']) {
    expect((await send(method, api(html, 'first'), owner(html))).status).toBe(404);
  }
  expect((await send('GET', api(html))).status).toBe(404);
});

test('a store as JSON, as a page, and in the list of its owner', async () => {
  const store = await create('"one"', '?ns=kv-lists');
  await put(store, 'second', '{"a":"<b>"}');
  const keys = { keys: ['first', 'second'], count: 2 };
  expect(await bodyOf(send('GET', api(store)))).toMatchObject({
    ...keys,
    views: 0,
    entries: [
      { key: 'first', sizeBytes: 3 },
      { key: 'second', sizeBytes: 11 },
    ],
  });
  const path = `/${store.namespace}/${store.id}`;
  const listing = await send('GET', path);
  expect(JSON.parse(listing.text)).toMatchObject({ ...keys, views: 1 });
  const tag = listing.headers.get('etag') ?? '';
  expect((await send('GET', path, { headers: { 'If-None-Match': tag } })).status).toBe(304);
  const page = await send('GET', path, { headers: { Accept: 'text/html' } });
  expect([page.headers.get('content-type'), page.headers.get('x-views')]).toEqual([
    'text/html; charset=utf-8',
    '3',
  ]);
  expect(page.text).toContain('&lt;b&gt;');
  const [summary, ...others] = JSON.parse((await send('GET', '/api/kv?ns=kv-lists', owner(store))).text);
  expect([summary, others]).toMatchObject([{ id: store.id, keyCount: 2, views: 3 }, []]);
  expect((await send('GET', '/api/kv?ns=kv-lists')).text).toBe('[]');

  for (const key of ['first', 'second']) await send('DELETE', api(store, key), owner(store));
  expect(await bodyOf(send('GET', api(store)))).toMatchObject({ keys: [], count: 0, entries: [] });
  expect((await send('DELETE', api(store), owner(store))).status).toBe(204);
  for (const gone of [api(store), path, api(store, 'first'), shortUrl(store, 'first')]) {
    expect((await send('GET', gone)).status).toBe(404);
  }
});

test('a protected store opens with its password alone', async () => {
  const store = await create('1', '', { 'X-Password': 'secret' });
  const paths = [api(store), api(store, 'first'), shortUrl(store, 'first'), `/public/${store.id}`];
  for (const path of paths) {
    expect((await send('GET', path)).status).toBe(403);
    const opened = await send('GET', path, { headers: { 'X-Password': 'secret' } });
    expect([path, opened.status]).toEqual([path, 200]);
    expect(opened.headers.get('cache-control')).toBe('private, no-store');
  }
  // A client that may not read does not learn which keys there are.
  expect((await send('GET', api(store, 'nothing'))).status).toBe(403);
});
