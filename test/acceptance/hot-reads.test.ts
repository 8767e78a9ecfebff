import { beforeAll, describe, expect, test } from 'bun:test';
import { nanoid } from 'nanoid';
import { atDepth } from '../depth.ts';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { lineOf, witness } from './support/access-log.ts';
import {
  type Client,
  jsonOf,
  ownedBy,
  type Published,
  type RequestOptions,
  raw,
  shortPath,
} from './support/client.ts';
import { eventually, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { comparable, fastPathAnswers, NORMALLY } from './support/fast-paths.ts';
import { KINDS, publishKind, readContent } from './support/kinds.ts';
import { usePerch } from './support/perch.ts';

const LIMIT = 400;
const perch = usePerch({
  gateways: 2,
  env: { ADMIN_PASSWORD, TRUST_PROXY: '1', LIMIT_READS_PER_MINUTE: String(LIMIT) },
});

/** In the full depth more than a gateway may have under way. */
const READS = atDepth(5_120, 256);

/** The date of a change can be told by then, in ms. */
const DATED_AFTER_MS = 2_000;

const ownOf = ({ headers }: Response) => ({
  views: Number(headers.get('X-Views')),
  left: Number(headers.get('RateLimit-Remaining')),
});

const hotAnswers = (client: Client = perch): Promise<number> => fastPathAnswers(client, 'reads');

/** Fields of the log that differ for each request. */
const DIFFERENT = { id: 0, requestId: '', createdAt: '', durationMs: 0 };

/** A store with one key: where its value is, for all and for its owner. */
async function publishStore(value: unknown) {
  const created = await perch.request('/api/kv', { method: 'POST', json: { key: 'a key', value } });
  const owner = await jsonOf<Published>(created, 201);
  const path = `/${owner.namespace}/${owner.id}/a%20key`;
  return { owner, path, api: `/api/kv${path}` };
}

let clients = 0;
/** The headers of a client of its own. */
const someone = () => ({ 'X-Forwarded-For': `10.7.${++clients >> 8}.${clients & 255}` });

const TEXT = 'Grüße & <b>Küsse</b>';
const big = `<p>${'x'.repeat(40_000)}`;
const PAGES: Array<[what: string, content: RequestOptions]> = [
  ['HTML', raw(`<p>${TEXT}`, 'text/html')],
  ['HTML with the top bar', raw(`<p>${TEXT}`, 'text/html', { query: { showTopBar: true, title: TEXT } })],
  ['HTML of more than Bun sends at once', raw(big, 'text/html')],
  ['markdown', raw(`# ${TEXT}`, 'text/markdown')],
  ['text', raw(TEXT, 'text/plain')],
  ['CSS', raw('p { color: teal }', 'text/css')],
  ['XML', raw('<a/>', 'application/xml')],
  ['a page of a namespace', raw(`<p>${TEXT}`, 'text/html', { query: { ns: 'hot-reads' } })],
  ['tags', raw(`<p>${TEXT}`, 'text/html', { query: { tags: 'one,two', title: TEXT } })],
];

// A cache that was just started is not served from before it was told everything: until then nothing is hot.
beforeAll(async () => {
  const page = await perch.publish('<p>first');
  for (const client of perch.clients) {
    await eventually(async () => {
      await client.read(page, { headers: someone() });
      return (await hotAnswers(client)) > 0;
    });
  }
});

/** Values of Accept-Encoding, and the coding that answers to them may have. */
const FORMS = [
  ['identity', null],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip', 'gzip'],
] as const;

/** The page as it is shown, and its stored bytes. */
const QUERIES = ['', '?raw=true'];

const CASES = FORMS.flatMap(([accepted, coding]) =>
  PAGES.flatMap(([what, content]) =>
    QUERIES.map((query) => [`${what}${query}`, accepted, { content, coding, query }] as const),
  ),
);

const KEYS: Array<[what: string, value: unknown, hot: number]> = [
  ['a text', TEXT, 2],
  ['an empty text', '', 2],
  ['JSON', { name: TEXT, list: [1, null] }, 2],
  ['a value of more than Bun sends at once', 'x'.repeat(40_000), 2],
  ['a value that the cache does not keep', 'x'.repeat(70_000), 0],
];

/** Pages by content and form, stores by value and form, and items by kind, whose dates can be told. */
const pages = new Map<string, Published>();
const stores = new Map<string, string>();
const items = new Map<string, Published>();

// An answer from before the date can be told is kept only until then, which may come between any two reads.
beforeAll(async () => {
  for (const [what, accepted, { content }] of CASES)
    pages.set(`${what} ${accepted}`, await perch.publish(content));
  for (const [accepted] of FORMS)
    for (const [what, value] of KEYS) stores.set(`${what} ${accepted}`, (await publishStore(value)).path);
  for (const kind of KINDS) items.set(kind.name, await publishKind(perch, kind, 'hot'));
  await Bun.sleep(DATED_AFTER_MS);
});

describe('the fast path for reads', () => {
  test.each(CASES)('answers %s for %s as the normal path does', async (what, accepted, { coding, query }) => {
    const page = pages.get(`${what} ${accepted}`);
    if (page === undefined) throw new Error('the page is there from the first test on');
    const headers = { ...someone(), 'Accept-Encoding': accepted };
    const read = (own = {}) =>
      perch.request(`/${page.namespace}/${page.id}${query}`, { headers: { ...headers, ...own } });
    const first = await read();
    const before = await hotAnswers();
    const hot = [await read(), await read()];
    expect((await hotAnswers()) - before).toBe(2);
    const normal = await read(NORMALLY);
    expect((await hotAnswers()) - before).toBe(2);
    const responses = [first, ...hot, normal];
    expect(responses.map(ownOf)).toEqual([1, 2, 3, 4].map((views) => ({ views, left: LIMIT - views })));
    expect(new Set(responses.map((response) => response.headers.get('X-Request-Id'))).size).toBe(4);
    const answers = await Promise.all(responses.map(comparable));
    for (const answer of answers) expect(answer).toEqual(answers[3] ?? answer);
    expect(answers[0]?.status).toBe(200);
    const isLong = Buffer.byteLength(answers[0]?.body ?? '') >= 1_024;
    expect(first.headers.get('Content-Encoding')).toBe(isLong ? coding : null);
  });

  test('keeps each form of a page apart, also for readers at once', async () => {
    const page = await perch.publish(raw(big, 'text/html'));
    await Bun.sleep(DATED_AFTER_MS);
    const read = async () => {
      const answers = await Promise.all(
        FORMS.map(([accepted]) =>
          perch.read(page, { headers: { ...someone(), 'Accept-Encoding': accepted } }),
        ),
      );
      expect(answers.map(({ headers }) => headers.get('Content-Encoding'))).toEqual(
        FORMS.map(([, coding]) => coding),
      );
      for (const answer of answers) expect(await answer.text()).toEndWith(big);
    };
    await read();
    const before = await hotAnswers();
    await read();
    expect((await hotAnswers()) - before).toBe(FORMS.length);
  });

  test.each(KEYS)('answers %s of a key as the normal path does, in each form', async (what, value, hot) => {
    for (const [accepted, coding] of FORMS) {
      const path = stores.get(`${what} ${accepted}`) ?? '';
      const first = await compareKey(path, hot, { ...someone(), 'Accept-Encoding': accepted });
      const isLong = typeof value === 'string' && value.length >= 1_024;
      expect(first.headers.get('Content-Encoding')).toBe(isLong ? coding : null);
    }
  });

  async function compareKey(path: string, expected: number, headers: Record<string, string>) {
    const read = (own = {}) => perch.request(path, { headers: { ...headers, ...own } });
    const first = await read();
    const before = await hotAnswers();
    const responses = [first, await read(), await read(), await read(NORMALLY)];
    expect((await hotAnswers()) - before).toBe(expected);
    expect(responses.map(ownOf)).toEqual([1, 2, 3, 4].map((views) => ({ views, left: LIMIT - views })));
    const answers = await Promise.all(responses.map(comparable));
    for (const answer of answers) expect(answer).toEqual(answers[3] ?? answer);
    expect(answers[0]?.status).toBe(200);
    return first;
  }

  test('leaves who wants events of a key to the normal path', async () => {
    const store = await publishStore('followed');
    for (let n = 0; n < 3; n++) await perch.request(store.path);
    const response = await perch.request(store.path, { headers: { Accept: 'text/event-stream' } });
    await response.body?.cancel();
    expect(response.headers.get('Content-Type')).toStartWith('text/event-stream');
  });

  test('answers what became of a key at once, on every gateway', async () => {
    const store = await publishStore('old');
    const readAll = async (times: number) => {
      const texts: string[] = [];
      for (const client of perch.clients)
        for (let n = 0; n < times; n++) {
          const response = await client.request(store.path);
          texts.push(`${response.status} ${response.ok ? await response.text() : ''}`);
        }
      return new Set(texts);
    };
    const change = (method: string, rest: RequestOptions) =>
      perch.request(store.api, { method, ...rest, ...ownedBy(store.owner) });
    expect(await readAll(3)).toEqual(new Set(['200 old']));
    for (const value of ['new', 'newer']) {
      await jsonOf(await change('PUT', { json: { value } }));
      expect(await readAll(3)).toEqual(new Set([`200 ${value}`]));
    }
    expect((await change('DELETE', {})).status).toBe(204);
    expect(await readAll(2)).toEqual(new Set(['404 ']));
    expect((await change('PUT', { json: { value: 'again' } })).ok).toBe(true);
    expect(await readAll(3)).toEqual(new Set(['200 again']));
  });

  test.each(KINDS)('leaves nothing of $name different, once read and twice', async (kind) => {
    const item = items.get(kind.name);
    if (item === undefined) throw new Error('an item of each kind is there from the first test on');
    const plain = [];
    for (let n = 0; n < 3; n++) plain.push(await readContent(perch, kind, item));
    const normal = await readContent(perch, kind, item, { headers: NORMALLY });
    const answers = await Promise.all([...plain, normal].map(comparable));
    for (const answer of answers) expect(answer).toEqual(answers[3] ?? answer);
  });

  test.each<[what: string, rest: string, options: RequestOptions, status: number]>([
    ['a query', '?raw', {}, 200],
    ['a download', '?raw=true&dl=true', {}, 200],
    ['an empty query', '?', {}, 200],
    ['HEAD', '', { method: 'HEAD' }, 200],
    ['a POST', '', { method: 'POST' }, 405],
    ['OPTIONS', '', { method: 'OPTIONS' }, 204],
    ['a range', '', { headers: { Range: 'bytes=0-3' } }, 200],
    ['a service worker', '', { headers: { 'Service-Worker': 'script' } }, 404],
    ['a slash behind it', '/', {}, 308],
    ['a part that is not there', '/part', {}, 404],
    ['no User-Agent', '', { headers: { 'User-Agent': ' ' } }, 400],
    ['another host', '', { headers: { Host: 'another.example' } }, 200],
  ])('leaves %s to the normal path', async (_, rest, options, status) => {
    const page = await perch.publish(`<p>${TEXT}`);
    for (let n = 0; n < 2; n++) await perch.read(page);
    const before = await hotAnswers();
    const response = await perch.request(`/${page.namespace}/${page.id}${rest}`, options);
    expect(response.status).toBe(status);
    expect(await hotAnswers()).toBe(before);
  });

  test('answers what its owner changed, hid and removed at once, on every gateway', async () => {
    const page = await perch.publish('<p>old', { query: { title: 'old' } });
    const readAll = async () => {
      for (const client of perch.clients) for (let n = 0; n < 3; n++) await client.read(page);
    };
    for (const text of ['<p>new', '<p>newer']) {
      await readAll();
      const change = { method: 'PUT', ...raw(text, 'text/html', ownedBy(page)) };
      await jsonOf(await perch.api(page, change));
      for (const client of perch.clients) expect(await (await client.read(page)).text()).toContain(text);
    }
    await readAll();
    await perch.api(page, { method: 'DELETE', ...ownedBy(page) });
    for (const client of perch.clients) await expectError(await client.read(page), 410, 'GONE');
  });

  test('never answers a page with a password without it', async () => {
    const page = await perch.publish('<p>secret', { headers: { 'X-Password': 'correct horse' } });
    const before = await hotAnswers();
    for (let n = 0; n < 3; n++) {
      const opened = await perch.read(page, { headers: { 'X-Password': 'correct horse' } });
      expect([opened.status, opened.headers.get('X-Views')]).toEqual([200, String(n + 1)]);
      await expectError(await perch.read(page), 403, 'PASSWORD_REQUIRED');
    }
    expect(await hotAnswers()).toBe(before);
  });

  test('counts every reader of many at once, on both paths and all gateways', async () => {
    const page = await perch.publish('<p>many');
    for (const client of perch.clients) await client.read(page);
    const before = perch.clients.length;
    const asked = Array.from({ length: 120 }, (_, n) => {
      const client = perch.clients[n % perch.clients.length] ?? perch;
      return client.read(page, { headers: { ...someone(), ...(n % 3 === 0 ? NORMALLY : {}) } });
    });
    const views = (await Promise.all(asked)).map((response) => ownOf(response).views);
    expect(views.toSorted((a, b) => a - b)).toEqual(views.map((_, n) => before + 1 + n));
  });

  test('lets a client have as many reads as its limit, and takes the views of the others back', async () => {
    const page = await perch.publish('<p>limited');
    for (const client of perch.clients) await client.read(page);
    const headers = someone();
    const asked = Array.from({ length: LIMIT + 50 }, (_, n) =>
      (perch.clients[n % perch.clients.length] ?? perch).read(page, { headers }),
    );
    const responses = await Promise.all(asked);
    const statuses = tally(responses.map(({ status }) => String(status)));
    expect(statuses).toEqual({ '200': LIMIT, '429': 50 });
    for (const { status, headers: own } of responses) expect(own.has('X-Views')).toBe(status === 200);
    const left = responses.filter(({ status }) => status === 200).map((response) => ownOf(response).left);
    expect(left.toSorted((a, b) => a - b)).toEqual(left.map((_, n) => n));
    const next = await perch.read(page, { headers: someone() });
    expect(ownOf(next).views).toBe(perch.clients.length + LIMIT + 1);
  });

  test('counts a read once that finds a QR code where it has found a page before', async () => {
    const page = await perch.publish('<p>page', { query: { id: `shown${nanoid(8)}` } });
    const path = `${shortPath(page)}.qr.svg`;
    const covering = await perch.publish('<p>covering', { query: { id: `${page.id}.qr.svg` } });
    const headers = someone();
    const read = async () => ownOf(await perch.request(path, { headers })).left;
    for (const left of [LIMIT - 1, LIMIT - 2]) expect(await read()).toBe(left);
    await perch.api(covering, { method: 'DELETE', ...ownedBy(covering) });
    for (const left of [LIMIT - 3, LIMIT - 4]) expect(await read()).toBe(left);
  });

  test('gives back what each read holds of the gateway, however many there are', async () => {
    const page = await perch.publish('<p>held');
    for (let n = 0; n < 2; n++) await perch.read(page, { headers: someone() });
    for (let read = 0; read < READS; read += 64)
      await Promise.all(Array.from({ length: 64 }, () => perch.read(page, { headers: someone() })));
    const before = await hotAnswers();
    await perch.read(page, { headers: someone() });
    expect((await hotAnswers()) - before).toBe(1);
    const metrics = await (await fetch(`${perch.url}/metrics`)).text();
    // The request for the metrics itself is under way.
    expect(metrics).toMatch(/^http_requests_under_way\S* 1$/m);
  });

  test('dates a value as soon as its change can be told by a date, though it was read before', async () => {
    const { path } = await publishStore('young');
    const read = () => perch.request(path, { headers: someone() });
    const young = await Promise.all([read(), read(), read()]);
    expect(young.map(({ headers }) => headers.get('Last-Modified'))).toEqual([null, null, null]);
    await Bun.sleep(DATED_AFTER_MS);
    for (let n = 0; n < 3; n++) expect((await read()).headers.get('Last-Modified')).not.toBeNull();
  });

  test.each(QUERIES)('is logged as the normal path is: %p', async (query) => {
    const page = await perch.publish('<p>logged');
    await Bun.sleep(DATED_AFTER_MS);
    const reader = witness(perch);
    const headers = { Referer: 'https://me:secret@example.org/?token=1#part', ...someone() };
    const path = `/${page.namespace}/${page.id}`;
    const before = await hotAnswers();
    for (const own of [{}, {}, NORMALLY])
      await reader.request(`${path}${query}`, { headers: { ...headers, ...own } });
    expect((await hotAnswers()) - before).toBe(1);
    const entries = await reader.logged();
    expect(entries.map(lineOf)).toEqual(Array(3).fill(`GET ${path}${query} 200 html ${path.slice(1)}`));
    const [normal, hot] = entries.map((entry) => ({ ...entry, ...DIFFERENT }));
    expect(hot).toEqual(normal);
    expect(hot).toMatchObject({
      clientIp: headers['X-Forwarded-For'],
      referer: 'https://example.org/?token=***',
    });
  });
});
