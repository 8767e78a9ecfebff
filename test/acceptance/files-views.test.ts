import { beforeAll, describe, expect, test } from 'bun:test';
import { png } from '../hostile/bytes.ts';
import { type Address, type Client, type RequestOptions, raw } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { fileApiPath, NAVIGATION, publishFile, viewsOf } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const CONTENT = '0123456789';
const fresh = () => publishFile(perch, 'a.txt', CONTENT);
let etag = '';

beforeAll(async () => {
  // Equal content may have equal tags; each file asks for its own where it matters.
  etag = (await perch.read(await fresh(), { method: 'HEAD' })).headers.get('ETag') ?? '';
});

const COUNTED: Record<string, (etag: string) => RequestOptions> = {
  'the bytes': () => ({}),
  'the viewer': () => ({ headers: NAVIGATION }),
  raw: () => ({ query: { raw: true } }),
  'a download': () => ({ query: { dl: true } }),
  'not modified': (tag) => ({ headers: { 'If-None-Match': tag } }),
  'the first byte': () => ({ headers: { Range: 'bytes=0-0' } }),
  'all from the first byte': () => ({ headers: { Range: 'bytes=0-' } }),
  'as many of the last bytes as there are': () => ({ headers: { Range: 'bytes=-10' } }),
  'the whole, for a range that makes no sense': () => ({ headers: { Range: 'bytes=x' } }),
  'the whole, for a range of another version': () => ({
    headers: { Range: 'bytes=5-', 'If-Range': '"other"' },
  }),
};

const NOT_COUNTED: Record<string, RequestOptions> = {
  HEAD: { method: 'HEAD' },
  'HEAD with a range': { method: 'HEAD', headers: { Range: 'bytes=0-0' } },
  'the second byte': { headers: { Range: 'bytes=1-1' } },
  'all but the first byte': { headers: { Range: 'bytes=1-' } },
  'the last bytes': { headers: { Range: 'bytes=-5' } },
  'a range that cannot be had': { headers: { Range: 'bytes=10-' } },
  OPTIONS: { method: 'OPTIONS' },
  'another method': { method: 'POST', ...raw('x', 'text/plain') },
};

describe('a read that counts', () => {
  test.each(Object.keys(COUNTED))('%s', async (name) => {
    const file = await fresh();
    const tag = (await perch.read(file, { method: 'HEAD' })).headers.get('ETag') ?? etag;
    for (let n = 1; n <= 3; n++) {
      const client = n % 2 === 0 ? perch.last : perch;
      const { headers } = await client.read(file, COUNTED[name]?.(tag));
      expect(headers.get('X-Views')).toBe(String(n));
    }
    expect(await viewsOf(perch.last, file)).toBe(3);
  });
});

describe('a read that does not count', () => {
  test.each(Object.keys(NOT_COUNTED))('%s', async (name) => {
    const file = await fresh();
    await perch.read(file);
    for (let n = 0; n < 3; n++) {
      const { headers } = await perch.last.read(file, NOT_COUNTED[name]);
      expect(headers.get('X-Views') ?? '1').toBe('1');
    }
    expect(await viewsOf(perch.last, file)).toBe(1);
  });

  test('that of the API, or without the password', async () => {
    const open = { headers: { 'X-Password': 'right' } };
    const file = await publishFile(perch, 'a.txt', CONTENT, open);
    await perch.request(fileApiPath(file), open);
    for (const headers of [{}, { 'X-Password': 'wrong' }, { Range: 'bytes=0-' }, { 'If-None-Match': '*' }])
      expect((await perch.read(file, { headers })).status).toBe(403);
    expect(await viewsOf(perch, file, open)).toBe(0);
  });
});

describe('what a viewer page asks for by itself', () => {
  const mediaOf = async (file: Address, headers: Record<string, string> = {}): Promise<string> => {
    const page = await perch.read(file, { headers: { ...NAVIGATION, ...headers } });
    return (/src="(\/public\/[^"]+)"/.exec(await page.text())?.[1] ?? '').replaceAll('&amp;', '&');
  };
  const picture = (headers: Record<string, string> = {}) => publishFile(perch, 'a.png', png(), { headers });

  test('counts no second view, from any gateway and however often', async () => {
    for (const secret of [{}, { 'X-Password': 'right' }]) {
      const file = await picture(secret);
      const media = await mediaOf(file, secret);
      for (const client of [perch, perch.last, perch]) {
        const answer = await client.request(media);
        expect([answer.status, answer.headers.get('X-Views')]).toEqual([200, '1']);
        const etag = answer.headers.get('ETag') ?? '';
        await client.request(media, { headers: { 'If-None-Match': etag } });
        await client.request(media, { headers: { Range: 'bytes=0-3' } });
      }
      expect(await viewsOf(perch.last, file, { headers: secret })).toBe(1);
      expect(await mediaOf(file, secret)).not.toBe('');
      expect(await viewsOf(perch, file, { headers: secret })).toBe(2);
    }
  });

  test('counts where another page asks, or for another file', async () => {
    const [file, other] = [await picture(), await picture()];
    const media = await mediaOf(file);
    const parameters = new URL(media, perch.url).search;
    const forged = [
      '?raw=true',
      `${parameters}x`,
      parameters.replace(/viewed=\d/, 'viewed=9'),
      '?raw=true&viewed=true',
    ];
    for (const [n, query] of forged.entries()) {
      const answer = await perch.request(`/${file.namespace}/${file.id}${query}`);
      expect(answer.headers.get('X-Views')).toBe(String(n + 2));
    }
    const elsewhere = await perch.request(`/${other.namespace}/${other.id}${parameters}`);
    expect(elsewhere.headers.get('X-Views')).toBe('1');
  });
});

describe('at once', () => {
  const mixed = async (file: Address, clients: Client[], times: number): Promise<number> => {
    const tag = (await perch.read(file, { method: 'HEAD' })).headers.get('ETag') ?? '';
    const counted = Object.values(COUNTED);
    const others = Object.values(NOT_COUNTED);
    await atOnce(times, async (n) => {
      const client = clients[n % clients.length] ?? perch;
      const half = Math.floor(n / 2);
      const options = n % 2 === 0 ? counted[half % counted.length]?.(tag) : others[half % others.length];
      await (await client.read(file, options)).arrayBuffer();
    });
    return Math.ceil(times / 2);
  };

  test('50 mixed reads over all gateways are counted exactly', async () => {
    for (let round = 0; round < 3; round++) {
      const file = await fresh();
      const counted = await mixed(file, perch.clients, 50);
      expect(await viewsOf(perch, file)).toBe(counted);
      expect(await viewsOf(perch.last, file)).toBe(counted);
    }
  });

  test('each of 50 whole reads gets a number, up to 50', async () => {
    const file = await fresh();
    const answers = await atOnce(50, (n) => (n % 2 === 0 ? perch : perch.last).read(file));
    const numbers = answers.map(({ headers }) => Number(headers.get('X-Views')));
    expect(Math.max(...numbers)).toBe(50);
    expect(Math.min(...numbers)).toBeGreaterThan(0);
  });
});
