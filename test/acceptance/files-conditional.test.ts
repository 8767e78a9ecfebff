import { describe, expect, test } from 'bun:test';
import { pdf, png } from '../hostile/bytes.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { fileApiPath, NAVIGATION, publishFile } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

/** Differ from one answer to the next, or between the two addresses. */
const MOVING = ['date', 'x-request-id', 'x-views', 'last-modified'];
const standing = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !MOVING.includes(name)));

const sensible = (n: number) => `content ${n} `.repeat(20);

describe('the headers of a file', () => {
  test('say what it is, how long it keeps, and that parts of it can be had', async () => {
    const file = await publishFile(perch, 'picture.png', png());
    for (const path of [`/public/${file.id}`, fileApiPath(file)]) {
      const { headers } = await perch.request(path);
      expect(headers.get('Content-Type')).toBe('image/png');
      expect(headers.get('Content-Length')).toBe(String(png().length));
      expect(headers.get('Accept-Ranges')).toBe('bytes');
      expect(headers.get('ETag')).toMatch(/^"[\w-]+"$/);
      expect(headers.get('Cache-Control')).toBe('public, max-age=3600');
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Content-Security-Policy')).toStartWith('sandbox');
      expect(headers.get('Referrer-Policy')).toBe('no-referrer');
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(headers.has('Set-Cookie')).toBe(false);
      expect(headers.has('X-Robots-Tag')).toBe(false);
    }
    const { headers } = await perch.read(file);
    for (const name of ['Accept', 'Sec-Fetch-Dest']) expect(headers.get('Vary')).toContain(name);
    expect(headers.get('X-Views')).toBe('2');
    expect(headers.has('X-Show-Top-Bar')).toBe(false);
  });

  test('outside public ask search engines to stay away', async () => {
    const file = await publishFile(perch, 'a.txt', 'x', { query: { ns: 'quiet-files' } });
    expect((await perch.read(file)).headers.get('X-Robots-Tag')).toContain('noindex');
  });

  test('are not sent for a version that If-Match does not name', async () => {
    const file = await publishFile(perch, 'a.txt', 'x');
    for (const path of [`/public/${file.id}`, fileApiPath(file)]) {
      const etag = (await perch.request(path)).headers.get('ETag') ?? '';
      for (const match of [etag, `"other", ${etag}`, '*'])
        expect((await perch.request(path, { headers: { 'If-Match': match } })).status).toBe(200);
      for (const match of ['"other"', `W/${etag}`])
        await expectError(
          await perch.request(path, { headers: { 'If-Match': match } }),
          412,
          'PRECONDITION_FAILED',
        );
    }
  });

  test('of HEAD are those of GET', async () => {
    const file = await publishFile(perch, 'paper.pdf', pdf());
    for (const query of [{}, { raw: true }, { dl: true }])
      for (const path of [`/public/${file.id}`, fileApiPath(file)]) {
        const get = await perch.request(path, { query });
        const head = await perch.request(path, { query, method: 'HEAD' });
        expect([head.status, await head.text()]).toEqual([200, '']);
        expect(standing(head)).toEqual(standing(get));
      }
  });

  test('of a protected file let nobody keep it', async () => {
    const file = await publishFile(perch, 'a.txt', 'x', { headers: { 'X-Password': 'right' } });
    const headers = { 'X-Password': 'right' };
    for (const path of [`/public/${file.id}`, fileApiPath(file)])
      for (const more of [{}, { Range: 'bytes=0-0' }, { 'If-None-Match': '*' }]) {
        const response = await perch.request(path, { headers: { ...headers, ...more } });
        expect([200, 206, 304]).toContain(response.status);
        expect(response.headers.get('Cache-Control')).toBe('private, no-store');
      }
  });
});

describe('If-None-Match', () => {
  test('that names the file gets 304 with its headers', async () => {
    const file = await publishFile(perch, 'a.txt', 'x');
    for (const path of [`/public/${file.id}`, fileApiPath(file)])
      for (const query of [{}, { raw: true }, { dl: true }]) {
        const get = await perch.request(path, { query });
        const etag = get.headers.get('ETag') ?? '';
        for (const match of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"a","b" , W/${etag} ,"c"`]) {
          const response = await perch.request(path, { query, headers: { 'If-None-Match': match } });
          expect([match, response.status, await response.text()]).toEqual([match, 304, '']);
          for (const name of ['ETag', 'Cache-Control', 'Vary'])
            expect(response.headers.get(name)).toBe(get.headers.get(name));
        }
        const headers = { 'If-None-Match': etag };
        expect((await perch.request(path, { query, headers, method: 'HEAD' })).status).toBe(304);
      }
  });

  test('that does not gets the file', async () => {
    const file = await publishFile(perch, 'a.txt', 'x');
    const etag = (await perch.read(file)).headers.get('ETag') ?? '';
    for (const match of ['"other"', etag.replaceAll('"', ''), etag.slice(0, -2), '', 'W/"other", "another"'])
      expect((await perch.read(file, { headers: { 'If-None-Match': match } })).status).toBe(200);
  });

  test('comes before a range', async () => {
    const file = await publishFile(perch, 'a.txt', 'content');
    const etag = (await perch.read(file)).headers.get('ETag') ?? '';
    const read = (match: string, range: string) =>
      perch.read(file, { headers: { 'If-None-Match': match, Range: range } });
    for (const range of ['bytes=0-1', 'bytes=99-']) expect((await read(etag, range)).status).toBe(304);
    expect((await read('"other"', 'bytes=0-1')).status).toBe(206);
  });

  test("tells the viewer and the file's own bytes apart", async () => {
    const file = await publishFile(perch, 'a.txt', 'x');
    const etag = (await perch.read(file)).headers.get('ETag') ?? '';
    const headers = { ...NAVIGATION, 'If-None-Match': etag };
    expect((await perch.read(file, { headers })).status).toBe(200);
    const viewer = (await perch.read(file, { headers: NAVIGATION })).headers.get('ETag') ?? '"none"';
    expect((await perch.read(file, { headers: { 'If-None-Match': viewer } })).status).toBe(200);
  });
});

describe('an ETag', () => {
  test('is another for other content', async () => {
    const files = await atOnce(10, (n) => publishFile(perch, 'a.txt', sensible(n)));
    const tags = await Promise.all(files.map(async (file) => (await perch.read(file)).headers.get('ETag')));
    expect(new Set(tags).size).toBe(10);
  });

  test('is the same on the whole, a part and 304, for all who read at once', async () => {
    const file = await publishFile(perch, 'a.txt', sensible(1));
    const etag = (await perch.read(file)).headers.get('ETag') ?? '';
    const kinds = [{}, { Range: 'bytes=1-2' }, { 'If-None-Match': etag }];
    const answers = await atOnce(60, (n) => perch.read(file, { headers: { ...kinds[n % kinds.length] } }));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 20, 206: 20, 304: 20 });
    expect(new Set(answers.map(({ headers }) => headers.get('ETag')))).toEqual(new Set([etag]));
  });

  test('of a new file at a freed address is not the old one', async () => {
    const query = { ns: 'reused-files', id: 'again' };
    const first = await publishFile(perch, 'a.txt', 'first', { query });
    const etag = (await perch.read(first)).headers.get('ETag') ?? '';
    const headers = { 'X-Owner-Token': first.ownerToken };
    expect((await perch.request(fileApiPath(first), { method: 'DELETE', headers })).status).toBe(204);
    const second = await publishFile(perch, 'a.txt', 'second', { query });
    const response = await perch.read(second, { headers: { 'If-None-Match': etag } });
    expect([response.status, await response.text()]).toEqual([200, 'second']);
  });
});
