import { describe, expect, test } from 'bun:test';
import { useStarted } from '../started.ts';
import { type RequestOptions, shortPath } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { NAVIGATION, viewsOf } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';
import { publishSite, readSite, type SiteFiles, siteApiPath } from './support/site-client.ts';

const perch = sharePerch();

const data = Uint8Array.from({ length: 5_000 }, (_, index) => (index * 7) & 255);
const TYPES: Record<string, string> = {
  'index.html': 'text/html; charset=utf-8',
  'site.css': 'text/css; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'module.mjs': 'text/javascript; charset=utf-8',
  'data.json': 'application/json',
  'note.txt': 'text/plain; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'photo.PNG': 'image/png',
  'font.woff2': 'font/woff2',
  'program.wasm': 'application/wasm',
  'film.mp4': 'video/mp4',
  noextension: 'application/octet-stream',
  'what.is-this': 'application/octet-stream',
};
const FILES: SiteFiles = {
  ...Object.fromEntries(Object.keys(TYPES).map((path) => [path, `content of ${path}`])),
  'film.mp4': data,
  'data.json': '{"a":1}',
};

const site = useStarted(() => publishSite(perch, FILES));

const film = (headers: Record<string, string>, method = 'GET') =>
  Promise.all([
    readSite(perch, site, 'film.mp4', { headers, method }),
    perch.request(`${siteApiPath(site)}/files/film.mp4`, { headers, method }),
  ]);

describe('a file of a site', () => {
  test.each(Object.keys(TYPES))('is served with its type and in isolation: %s', async (path) => {
    for (const at of [`${shortPath(site)}/${path}`, `${siteApiPath(site)}/files/${path}`]) {
      const { status, headers } = await perch.request(at);
      expect([status, headers.get('Content-Type')]).toEqual([200, TYPES[path] ?? '']);
      expect(headers.get('ETag')).toMatch(/^"[\w-]+"$/);
      expect(headers.get('Accept-Ranges')).toBe('bytes');
      expect(headers.get('Cache-Control')).toBe('public, max-age=3600');
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Referrer-Policy')).toBe('no-referrer');
      const policy = headers.get('Content-Security-Policy') ?? '';
      expect(policy).toStartWith('sandbox');
      expect(policy).not.toContain('allow-same-origin');
      expect(policy.includes('allow-scripts')).toBe(!path.endsWith('.svg'));
    }
  });

  test('is the bytes for a browser, too', async () => {
    for (const path of ['index.html', 'film.mp4', 'note.txt']) {
      const response = await readSite(perch, site, path, { headers: NAVIGATION });
      expect(response.headers.get('Content-Type')).toBe(TYPES[path] ?? '');
      expect((await response.bytes()).length).toBe(FILES[path]?.length ?? -1);
    }
  });

  test('has the headers of GET on HEAD, and its length', async () => {
    for (const head of await film({}, 'HEAD')) {
      expect([head.status, head.headers.get('Content-Length'), await head.text()]).toEqual([200, '5000', '']);
    }
  });

  test('is 304 for who has it', async () => {
    const etag = (await film({}))[0]?.headers.get('ETag') ?? '';
    for (const match of [etag, `W/${etag}`, `"other", ${etag}`, '*'])
      for (const response of await film({ 'If-None-Match': match })) {
        expect([response.status, await response.text()]).toEqual([304, '']);
        expect(response.headers.get('ETag')).toBe(etag);
        expect(response.headers.get('Cache-Control')).toBe('public, max-age=3600');
      }
    for (const response of await film({ 'If-None-Match': '"other"' })) expect(response.status).toBe(200);
    const other = await readSite(perch, site, 'note.txt', { headers: { 'If-None-Match': etag } });
    expect(other.status).toBe(200);
  });

  test('is 412 for who wants another version', async () => {
    const etag = (await film({}))[0]?.headers.get('ETag') ?? '';
    for (const response of await film({ 'If-Match': etag })) expect(response.status).toBe(200);
    for (const response of await film({ 'If-Match': '"other"' }))
      await expectError(response, 412, 'PRECONDITION_FAILED');
  });

  test('can be had in parts, and never with a byte of its neighbours', async () => {
    const parts: Record<string, [start: number, end: number]> = {
      'bytes=0-0': [0, 0],
      'bytes=0-': [0, 4_999],
      'bytes=100-199': [100, 199],
      'bytes=4999-': [4_999, 4_999],
      'bytes=-1': [4_999, 4_999],
      'bytes=-9999': [0, 4_999],
      'bytes=4000-999999': [4_000, 4_999],
    };
    const etag = (await film({}))[0]?.headers.get('ETag') ?? '';
    for (const [range, [start, end]] of Object.entries(parts))
      for (const headers of [{ Range: range }, { Range: range, 'If-Range': etag }])
        for (const response of await film(headers)) {
          expect([response.status, response.headers.get('Content-Range')]).toEqual([
            206,
            `bytes ${start}-${end}/5000`,
          ]);
          expect(response.headers.get('ETag')).toBe(etag);
          expect(await response.bytes()).toEqual(data.slice(start, end + 1));
        }
    for (const response of await film({ Range: 'bytes=0-9', 'If-Range': '"other"' }))
      expect([response.status, (await response.bytes()).length]).toEqual([200, 5_000]);
    for (const range of ['bytes=5000-', 'bytes=9999-10000', 'bytes=-0'])
      for (const response of await film({ Range: range })) {
        expect(response.headers.get('Content-Range')).toBe('bytes */5000');
        await expectError(response, 416, 'RANGE_NOT_SATISFIABLE');
      }
  });
});

test('outside public search engines are asked to stay away', async () => {
  const quiet = await publishSite(perch, { 'index.html': 'x' }, { query: { ns: 'quiet-sites' } });
  expect((await readSite(perch, quiet, '')).headers.get('X-Robots-Tag')).toContain('noindex');
  expect((await readSite(perch, site, '')).headers.has('X-Robots-Tag')).toBe(false);
});

describe('X-Views', () => {
  const own = () =>
    publishSite(perch, { 'index.html': 'entry', 'a.css': 'a', '404.html': 'none', 'd/index.html': 'd' });

  test('counts what is served of the site: whole, unchanged, or from the first byte', async () => {
    const counted = await own();
    const etag = (await readSite(perch, counted, 'a.css', { method: 'HEAD' })).headers.get('ETag') ?? '';
    const reads: Array<[path: string, options?: RequestOptions]> = [
      [''],
      ['a.css'],
      ['a.css', { headers: { 'If-None-Match': etag } }],
      ['a.css', { headers: { Range: 'bytes=0-' } }],
      ['d/'],
    ];
    for (const [n, [path, options]] of reads.entries()) {
      const client = n % 2 === 0 ? perch : perch.last;
      const { headers } = await readSite(client, counted, path, options);
      expect([path, headers.get('X-Views')]).toEqual([path, String(n + 1)]);
    }
    expect(await viewsOf(perch, counted)).toBe(reads.length);
  });

  test('does not count what is missing, redirected, in parts or by the API', async () => {
    const counted = await own();
    await readSite(perch, counted, 'missing');
    await perch.read(counted, { headers: NAVIGATION });
    await readSite(perch, counted, 'd', { headers: NAVIGATION });
    await readSite(perch, counted, 'a.css', { method: 'HEAD' });
    await readSite(perch, counted, 'index.html', { headers: { Range: 'bytes=1-2' } });
    await readSite(perch, counted, 'index.html', { headers: { Range: 'bytes=99-' } });
    await perch.request(siteApiPath(counted));
    await perch.request(`${siteApiPath(counted)}/files/a.css`);
    expect(await viewsOf(perch, counted)).toBe(0);
  });

  test('is exact for 50 mixed reads at once over all gateways', async () => {
    const counted = await own();
    const answers = await atOnce(50, async (n) => {
      const path = ['', 'a.css', 'missing', 'd/', 'd'][n % 5] ?? '';
      const options = path === 'd' ? { headers: NAVIGATION } : {};
      return (await readSite(n % 2 === 0 ? perch : perch.last, counted, path, options)).status;
    });
    expect(tally(answers)).toMatchObject({ 200: 30, 404: 10, 308: 10 });
    expect(await viewsOf(perch, counted)).toBe(30);
    expect(await viewsOf(perch.last, counted)).toBe(30);
  });
});
