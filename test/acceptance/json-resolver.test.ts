import { describe, expect, test } from 'bun:test';
import { jsonOf, type Published, type RequestOptions, raw, shortPath } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'Sec-Fetch-Dest': 'document' };

const publish = async (text: string, options: RequestOptions = {}): Promise<Published> =>
  jsonOf<Published>(
    await perch.request('/api/json', { method: 'POST', ...raw(text, 'application/json', options) }),
    201,
  );
const viewsOf = async (document: Published): Promise<number> =>
  Number((await perch.last.read(document, { method: 'HEAD' })).headers.get('X-Views'));

test('a browser gets a page with the beginning of the document, and counts one view', async () => {
  const text = `{"<b>": "${'x'.repeat(40_000)}"}`;
  const document = await publish(text);
  const response = await perch.read(document, { headers: BROWSER });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect(response.headers.get('Cache-Control')).toBe('no-cache');
  const page = await response.text();
  expect(page).toContain('{&quot;&lt;b&gt;&quot;: &quot;xxx');
  expect(page.length).toBeLessThan(text.length);
  const [, source = ''] = /data-source="([^"]+)"/.exec(page) ?? [];
  const whole = await perch.last.request(source.replaceAll('&amp;', '&'));
  expect(await whole.text()).toBe(text);
  expect(await viewsOf(document)).toBe(1);
});

test('a short URL gives the bare document to all others, and to a browser that asks for it', async () => {
  const document = await publish('{"bare": [1, 2]}');
  for (const headers of [{}, { Accept: 'application/json' }, { Accept: 'text/plain' }, BROWSER]) {
    const plain = headers === BROWSER ? [] : [{}, { anything: 'else' }];
    for (const query of [{ raw: true }, ...plain] as Array<RequestOptions['query']>) {
      const response = await perch.read(document, { headers, query: query ?? {} });
      expect([response.status, await response.text()]).toEqual([200, '{"bare": [1, 2]}']);
      expect(response.headers.get('Content-Type')).toMatch(/^application\/json(;|$)/);
      expect(response.headers.get('Cache-Control')).toBe('no-cache');
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(response.headers.has('Content-Disposition')).toBe(false);
      expect(response.headers.has('X-Show-Top-Bar')).toBe(false);
    }
  }
});

test('dl makes it a download', async () => {
  const document = await publish('{"a":1}', { query: { id: 'report.2026' } });
  for (const dl of ['true', '1']) {
    const response = await perch.read(document, { query: { dl } });
    expect(response.headers.get('Content-Disposition')).toMatch(
      /^attachment; ?filename="report\.2026\.json"/,
    );
    expect(await response.text()).toBe('{"a":1}');
  }
  const shown = await perch.read(document, { query: { dl: 'false' } });
  expect(shown.headers.has('Content-Disposition')).toBe(false);
});

test('HEAD is GET without the body and without a view', async () => {
  const document = await publish('{"head": true}');
  const paths = [shortPath(document), `${shortPath(document)}?dl=1`, `/api/json${shortPath(document)}`];
  for (const path of paths) {
    const [head, get] = [await perch.request(path, { method: 'HEAD' }), await perch.request(path)];
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect((await get.text()).length).toBe(14);
    for (const name of ['Content-Type', 'Content-Length', 'ETag', 'Cache-Control', 'Content-Disposition'])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  }
  expect(await viewsOf(document)).toBe(2);
});

test('an API read counts no view, a short URL read does, and 304 as well', async () => {
  const document = await publish('1');
  for (let n = 1; n <= 3; n++) await perch.request(`/api/json${shortPath(document)}`);
  expect(await viewsOf(document)).toBe(0);
  const first = await perch.read(document);
  expect(first.headers.get('X-Views')).toBe('1');
  const again = await perch.last.read(document, {
    headers: { 'If-None-Match': first.headers.get('ETag') ?? '' },
  });
  expect([again.status, again.headers.get('X-Views')]).toEqual([304, '2']);
});

test('a range is not looked at: the whole document comes and counts', async () => {
  const document = await publish('{"a":1}');
  for (const [n, range] of ['bytes=0-1', 'bytes=3-', 'bytes=900-', 'nonsense'].entries()) {
    const response = await perch.read(document, { headers: { Range: range } });
    expect([response.status, await response.text()]).toEqual([200, '{"a":1}']);
    expect(response.headers.get('X-Views')).toBe(String(n + 1));
  }
});

describe('a document with a password', () => {
  test('is not stored by anybody on the way and not found by search engines', async () => {
    const document = await publish('"secret"', { headers: { 'X-Password': 'right' } });
    for (const path of [shortPath(document), `/api/json${shortPath(document)}`]) {
      const response = await perch.request(path, { query: { p: 'right' } });
      expect(await response.text()).toBe('"secret"');
      expect(response.headers.get('Cache-Control')).toBe('private, no-store');
      expect(response.headers.get('X-Robots-Tag')).toContain('noindex');
      const refused = await perch.request(path);
      expect(refused.headers.get('Cache-Control')).not.toContain('public');
      await expectError(refused, 403, 'PASSWORD_REQUIRED');
    }
  });
});

test('nothing is below a document', async () => {
  const document = await publish('{"a":{"b":1}}');
  for (const rest of ['/a', '/index.html', '/a/b', '//', '/%20'])
    await expectError(await perch.request(`${shortPath(document)}${rest}`), 404, 'NOT_FOUND');
  const slash = await perch.request(`${shortPath(document)}/?dl=1`);
  expect(slash.status).toBe(308);
  expect(slash.headers.get('Location')).toEndWith(`${shortPath(document)}?dl=1`);
  expect(await viewsOf(document)).toBe(0);
});
