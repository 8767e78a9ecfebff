import { beforeAll, describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { apiPath, jsonOf, ownedBy, type Published, raw, shortPath, USER_AGENT } from './support/client.ts';
import { fileApiPath, NAVIGATION, publishFile } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';
import { publishSite, siteApiPath } from './support/site-client.ts';

const perch = sharePerch();

const BROWSER = 'gzip, deflate, br, zstd';
const CODINGS = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };
type Coding = keyof typeof CODINGS;

/** An answer as it travels. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET', client = perch.url) {
  const response = await fetch(`${client}${path}`, {
    method,
    decompress: false,
    redirect: 'manual',
    headers: { 'User-Agent': USER_AGENT, 'Accept-Encoding': 'identity', ...headers },
  });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.bytes()) };
}
type Answer = Awaited<ReturnType<typeof get>>;

const codingOf = ({ headers }: Answer): string | null => headers.get('Content-Encoding');
const tagOf = ({ headers }: Answer): string => headers.get('ETag') ?? '';

function plainBody(answer: Answer): string {
  const coding = codingOf(answer);
  const body = coding === null ? answer.body : CODINGS[coding as Coding](answer.body);
  return body.toString().replace(/"views":\d+/, '"views":0');
}

/** Headers that may differ between two forms, or between two reads. */
const OWN = [
  ...['content-encoding', 'content-length', 'transfer-encoding', 'etag', 'accept-ranges', 'date'],
  ...['x-request-id', 'x-views', 'ratelimit-remaining', 'ratelimit-reset', 'last-modified'],
];
const sharedHeaders = ({ headers }: Answer) =>
  [...headers].filter(([name]) => !OWN.includes(name)).toSorted();

const line = 'A line of ordinary text, once more.\n';
const textOf = (length: number): string => line.repeat(Math.ceil(length / line.length)).slice(0, length);

const created = async (path: string, type: string, content: string, rest = {}): Promise<Published> =>
  jsonOf<Published>(await perch.request(path, { method: 'POST', ...raw(content, type, rest) }), 201);

let kv: Published;
const putKey = async (key: string, value: string): Promise<string> => {
  await perch.request(`/api/kv${shortPath(kv)}/${key}`, { method: 'PUT', ...ownedBy(kv), json: { value } });
  return `${shortPath(kv)}/${key}`;
};

/** Addresses of text of more than 1 KB, with what is asked beside the coding. */
const texts = new Map<string, [path: string, headers: Record<string, string>]>();

beforeAll(async () => {
  const add = (what: string, path: string, headers = {}) => texts.set(what, [path, headers]);
  kv = await jsonOf<Published>(
    await perch.request('/api/kv', { method: 'POST', json: { key: 'first', value: 1 } }),
    201,
  );
  const page = await created('/api/html', 'text/html', `<p>${textOf(4_000)}`);
  const markdown = await created('/api/html', 'text/markdown', `# Text\n\n${textOf(40_000)}`, {
    query: { showTopBar: true },
  });
  const json = await created('/api/json', 'application/json', JSON.stringify({ text: textOf(4_000) }));
  const file = await publishFile(perch, 'long.yaml', textOf(20_000));
  const large = await publishFile(perch, 'large.txt', textOf(3_000_000));
  const site = await publishSite(perch, { 'index.html': `<p>${textOf(2_000)}`, 'a.css': textOf(9_000) });
  for (let n = 0; n < 12; n++) await putKey(`key-${n}`, textOf(100));
  add('a page', shortPath(page));
  add('a page in the API', apiPath(page));
  add('a rendered page', shortPath(markdown));
  add('the source of a page', `${shortPath(markdown)}?raw=true`);
  add('a document', shortPath(json));
  add('a document in the API', `/api/json${shortPath(json)}`);
  add('a value', await putKey('long', textOf(2_000)));
  add('a value beyond the cache', await putKey('longer', textOf(200_000)));
  add('an entry in the API', `/api/kv${shortPath(kv)}/long`);
  add('the keys of a store', shortPath(kv));
  add('the page of a store', shortPath(kv), NAVIGATION);
  add('a text file', shortPath(file));
  add('a text file in the API', fileApiPath(file));
  add('a text file of more than 1 MB', shortPath(large));
  add('a text file as people see it', shortPath(file), NAVIGATION);
  add('the entry of a site', `${shortPath(site)}/`);
  add('a style sheet of a site', `${shortPath(site)}/a.css`);
  add('a file of a site in the API', `${siteApiPath(site)}/files/a.css`);
  add('the home page', '/', NAVIGATION);
  // Of what this file publishes alone: other files that share the instance publish meanwhile.
  add('the gallery page', '/gallery?q=published-by-nobody', NAVIGATION);
  add('the documentation page', '/docs', NAVIGATION);
  add('the interface', '/api/openapi.json');
  add('a script of ours', '/assets/home.en.js');
  add('llms.txt', '/llms.txt');
  add('the limits', '/api/gallery?limit=20');
}, 60_000);

describe('text', () => {
  const WHAT = [
    ...['a page', 'a page in the API', 'a rendered page', 'the source of a page', 'a document'],
    ...['a document in the API', 'a value', 'a value beyond the cache', 'an entry in the API'],
    ...['the keys of a store', 'the page of a store', 'a text file', 'a text file in the API'],
    ...['a text file of more than 1 MB', 'a text file as people see it', 'the entry of a site'],
    ...['a style sheet of a site', 'a file of a site in the API', 'the home page', 'the gallery page'],
    ...['the documentation page', 'the interface', 'a script of ours', 'llms.txt'],
  ];

  test.each(WHAT)('%s comes in the form that the client prefers', async (what) => {
    const [path, headers] = texts.get(what) ?? ['', {}];
    const plain = await get(path, headers);
    expect([plain.status, codingOf(plain)]).toEqual([200, null]);
    const tags = [tagOf(plain)];
    for (const coding of Object.keys(CODINGS)) {
      // Twice: the second one gets what was made for the first.
      for (let n = 0; n < 2; n++) {
        const answer = await get(path, { ...headers, 'Accept-Encoding': coding });
        expect([answer.status, codingOf(answer)]).toEqual([200, coding]);
        expect(answer.body.length).toBeLessThan(plain.body.length);
        expect(answer.headers.get('Content-Length')).toBe(String(answer.body.length));
        expect(Bun.hash(plainBody(answer))).toBe(Bun.hash(plainBody(plain)));
        expect(sharedHeaders(answer)).toEqual(sharedHeaders(plain));
        expect(answer.headers.get('Vary')).toContain('Accept-Encoding');
        tags.push(tagOf(answer));
      }
      const head = await get(path, { ...headers, 'Accept-Encoding': coding }, 'HEAD');
      expect([head.status, codingOf(head), tagOf(head)]).toEqual([200, coding, tags.at(-1) ?? '']);
    }
    if (tags[0] !== '') expect(new Set(tags).size).toBe(4);
  });

  test.each(WHAT)('%s is not sent again to a client that has it in a form it accepts', async (what) => {
    const [path, headers] = texts.get(what) ?? ['', {}];
    const tags = new Map<string, string>();
    for (const coding of ['identity', ...Object.keys(CODINGS)])
      tags.set(coding, tagOf(await get(path, { ...headers, 'Accept-Encoding': coding })));
    if (tags.get('identity') === '') return;
    for (const [coding, tag] of tags) {
      const same = await get(path, { ...headers, 'Accept-Encoding': coding, 'If-None-Match': tag });
      expect([same.status, tagOf(same), same.body.length]).toEqual([304, tag, 0]);
      expect(same.headers.get('Vary')).toContain('Accept-Encoding');
      // Another form that it accepts counts as well; one that it does not accept is of no use to it.
      const browser = await get(path, {
        ...headers,
        'Accept-Encoding': BROWSER,
        'If-None-Match': `W/${tag}`,
      });
      expect([browser.status, tagOf(browser)]).toEqual([304, tag]);
      const other = await get(path, { ...headers, 'Accept-Encoding': 'identity', 'If-None-Match': tag });
      expect(other.status).toBe(coding === 'identity' ? 304 : 200);
    }
  });

  test('of two readers at once, both get the form that is made', async () => {
    const page = await created('/api/html', 'text/html', `<p>${textOf(300_000)}`);
    const answers = await Promise.all(
      perch.clients.flatMap(({ url }) =>
        [BROWSER, BROWSER, 'gzip'].map((accepted) =>
          get(shortPath(page), { 'Accept-Encoding': accepted }, 'GET', url),
        ),
      ),
    );
    for (const [n, answer] of answers.entries()) {
      expect([answer.status, codingOf(answer)]).toEqual([200, n % 3 === 2 ? 'gzip' : 'zstd']);
      expect(plainBody(answer)).toEndWith(`<p>${textOf(300_000)}`);
    }
  });

  test('a page of 4 MB travels in a tenth of it', async () => {
    const row = (n: number): string =>
      `<tr><td>${n}</td><td>October ${n % 31}</td><td>${(n * 7_919) % 100_000}</td><td>delivered to the customer</td></tr>\n`;
    const rows = Array.from({ length: 50_000 }, (_, n) => row(n)).join('');
    const page = await created('/api/html', 'text/html', `<table>${rows}</table>`);
    for (const coding of ['zstd', 'br']) {
      const answer = await get(`${shortPath(page)}?raw=true`, { 'Accept-Encoding': coding });
      expect([answer.status, codingOf(answer)]).toEqual([200, coding]);
      const { length } = Buffer.from(plainBody(answer));
      expect(length).toBeGreaterThan(4_000_000);
      expect(answer.body.length).toBeLessThan(length / 10);
    }
  });

  test('travels compressed from 1 KB', async () => {
    for (const [length, coding] of [
      [1_023, null],
      [1_024, 'zstd'],
      [1_025, 'zstd'],
    ] as const) {
      const file = await publishFile(perch, 'edge.txt', textOf(length));
      const value = await putKey(`edge-${length}`, textOf(length));
      const document = await created('/api/json', 'application/json', `"${'x'.repeat(length - 2)}"`);
      const page = await created('/api/html', 'text/plain', textOf(length));
      for (const path of [shortPath(file), value, shortPath(document), `${shortPath(page)}?raw=true`]) {
        const answer = await get(path, { 'Accept-Encoding': BROWSER });
        expect([path, codingOf(answer)]).toEqual([path, coding]);
        expect(Buffer.byteLength(plainBody(answer))).toBe(length);
      }
    }
  });
});

describe('stays plain', () => {
  test.each(['', 'identity', 'gzip;q=0', 'gzip;q=0, identity;q=0', 'identity;q=0', 'deflate, snappy'])(
    'for Accept-Encoding %p',
    async (accepted) => {
      const [path] = texts.get('a page') ?? [''];
      const answer = await get(path, { 'Accept-Encoding': accepted });
      expect([answer.status, codingOf(answer)]).toEqual([200, null]);
    },
  );

  test('for ranges', async () => {
    const [path] = texts.get('a text file') ?? [''];
    const zstd = await get(path, { 'Accept-Encoding': BROWSER });
    expect(zstd.headers.get('Accept-Ranges')).toBeNull();
    const asked = { 'Accept-Encoding': BROWSER, Range: 'bytes=2-5' };
    const part = await get(path, asked);
    expect([part.status, codingOf(part), part.body.toString()]).toEqual([206, null, 'line']);
    // A download that was begun in a compressed form cannot go on in the plain one.
    const whole = await get(path, { ...asked, 'If-Range': tagOf(zstd) });
    expect([whole.status, codingOf(whole), whole.body.length]).toEqual([200, null, 20_000]);
    const rest = await get(path, { ...asked, 'If-Range': tagOf(part) });
    expect(rest.status).toBe(206);
  });

  test('what is no text', async () => {
    const picture = await publishFile(perch, 'a.png', Buffer.concat([PNG, new Uint8Array(4_000)]));
    const answer = await get(shortPath(picture), { 'Accept-Encoding': BROWSER });
    expect([answer.status, codingOf(answer), answer.headers.get('Accept-Ranges')]).toEqual([
      200,
      null,
      'bytes',
    ]);
  });

  test('an answer with a token, of a store with a password, and an error', async () => {
    const password = { 'X-Password': 'correct horse' };
    const locked = await jsonOf<Published>(
      await perch.request('/api/kv', {
        method: 'POST',
        json: { key: 'long', value: textOf(4_000) },
        headers: password,
      }),
      201,
    );
    const accepted = { 'Accept-Encoding': BROWSER };
    for (const path of [`${shortPath(locked)}/long`, `/api/kv${shortPath(locked)}/long`]) {
      const answer = await get(path, { ...accepted, ...password });
      expect([answer.status, codingOf(answer)]).toEqual([200, null]);
    }
    const missing = await get(`/public/${'x'.repeat(20)}`, { ...accepted, ...NAVIGATION });
    expect([missing.status, codingOf(missing)]).toEqual([404, null]);
  });
});

test('a 304 has the Vary of the answer in its place, with a password or without', async () => {
  const password = { 'X-Password': 'correct horse' };
  for (const headers of [password, {}]) {
    const create = { method: 'POST', json: { key: 'long', value: textOf(4_000) }, headers };
    const store = shortPath(await jsonOf<Published>(await perch.request('/api/kv', create), 201));
    for (const path of [
      store,
      `${store}/long`,
      `/api/kv${store}/long`,
      `${store}.qr.svg`,
      `${store}.qr.png`,
    ]) {
      const whole = await get(path, { ...headers, 'Accept-Encoding': BROWSER });
      const same = await get(path, { ...headers, 'Accept-Encoding': BROWSER, 'If-None-Match': tagOf(whole) });
      expect([path, same.status]).toEqual([path, 304]);
      expect([path, same.headers.get('Vary')]).toEqual([path, whole.headers.get('Vary')]);
    }
  }
});

test('content with a password is compressed, too, though no cache may store it', async () => {
  const password = { headers: { 'X-Password': 'correct horse' } };
  const items = [
    shortPath(await created('/api/html', 'text/html', `<p>${textOf(4_000)}`, password)),
    shortPath(await created('/api/json', 'application/json', JSON.stringify(textOf(4_000)), password)),
    shortPath(await publishFile(perch, 'long.yaml', textOf(4_000), password)),
    `${shortPath(await publishSite(perch, { 'index.html': textOf(4_000) }, password))}/index.html`,
  ];
  for (const path of items) {
    const answer = await get(path, { 'Accept-Encoding': BROWSER, ...password.headers });
    const { status, headers } = answer;
    expect([path, status, headers.get('Cache-Control'), codingOf(answer)]).toEqual([
      path,
      200,
      'private, no-store',
      'zstd',
    ]);
  }
});

test('a change on the condition of any form is made, and made once', async () => {
  const path = await putKey('changed', textOf(3_000));
  const api = `/api/kv${path}`;
  const read = await get(path, { 'Accept-Encoding': BROWSER });
  expect(tagOf(read)).toEndWith('-zstd"');
  const change = (value: string) =>
    perch.request(api, {
      method: 'PUT',
      json: { value },
      headers: { ...ownedBy(kv).headers, 'If-Match': tagOf(read) },
    });
  const statuses = (await Promise.all([change('one'), change('two')])).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([200, 412]);
});

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
