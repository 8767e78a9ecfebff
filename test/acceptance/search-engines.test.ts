import { expect, test } from 'bun:test';
import { readSitemapFile } from '../sitemap-file.ts';
import type { Published } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { KINDS, publishKind } from './support/kinds.ts';
import { usePerch } from './support/perch.ts';

const CONTENT_BASE_URL = 'http://content.perch.example';
const perch = usePerch();
const separate = usePerch({ env: { CONTENT_BASE_URL, LIMIT_READS_PER_MINUTE: '4' } });

test('the sitemap names every public item and the pages of the service, and nothing else', async () => {
  const listed: Published[] = [];
  for (const kind of KINDS) {
    listed.push(await publishKind(perch, kind, 'x', { query: { title: 'a & b <c>' } }));
    await publishKind(perch, kind, 'protected', { headers: { 'X-Password': 'secret' } });
    await publishKind(perch, kind, 'elsewhere', { query: { ns: 'not-listed' } });
  }
  const response = await perch.request('/sitemap.xml');
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe('application/xml; charset=utf-8');
  expect(response.headers.get('Cache-Control')).toBe('public, max-age=600');
  const { root, urls } = readSitemapFile(await response.text());
  expect(root).toBe('urlset');
  const origin = perch.url;
  const own = ['/', '/gallery', '/docs', '/stats'].map((path) => ({
    loc: `${origin}${path}`,
    lastmod: null,
  }));
  const items = listed.map(({ namespace, id, createdAt }) => ({
    loc: `${origin}/${namespace}/${id}`,
    lastmod: createdAt,
  }));
  const places = urls.map(({ loc, lastmod }) => ({ loc: `${origin}${new URL(loc).pathname}`, lastmod }));
  expect(places).toEqual([...own, ...items]);

  const again = { headers: { 'If-None-Match': response.headers.get('ETag') ?? '' } };
  expect((await perch.request('/sitemap.xml', again)).status).toBe(304);
  expect((await perch.request('/sitemap.xml', { query: { part: 1 } })).status).toBe(200);
  for (const part of [2, 4_999, 5_000])
    await expectError(await perch.request('/sitemap.xml', { query: { part } }), 404, 'NOT_FOUND');
  for (const part of ['0', '-1', '5001', 'x'])
    await expectError(
      await perch.request('/sitemap.xml', { query: { part } }),
      ...([400, 'VALIDATION_FAILED', 'part'] as const),
    );
});

test('what the sitemap names wants to be found', async () => {
  const { urls } = readSitemapFile(await (await perch.request('/sitemap.xml')).text());
  for (const { loc } of urls) {
    const ask = (path: string) => perch.request(path, { headers: { Accept: 'text/html' } });
    const answer = await ask(new URL(loc).pathname);
    // A site adds its slash.
    const page = answer.status === 308 ? await ask(answer.headers.get('Location') ?? '') : answer;
    expect(page.status).toBe(200);
    expect(page.headers.get('X-Robots-Tag')).toBeNull();
    expect(await page.text()).not.toContain('noindex');
  }
});

test('robots.txt keeps crawlers out of the API and says where the sitemap is', async () => {
  const response = await perch.request('/robots.txt');
  expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  const lines = (await response.text()).split('\n');
  expect(lines[0]).toBe('User-agent: *');
  for (const line of ['Disallow: /api/', 'Disallow: /s/', 'Allow: /']) expect(lines).toContain(line);
  const sitemap = lines.find((line) => line.startsWith('Sitemap: '))?.slice('Sitemap: '.length) ?? '';
  expect(new URL(sitemap).pathname).toBe('/sitemap.xml');
  expect((await perch.request('/robots.txt', { method: 'HEAD' })).status).toBe(200);
});

test('where items have a host of their own, the sitemap names them there', async () => {
  const { namespace, id } = await separate.publish('<p>x');
  const { urls } = readSitemapFile(await (await separate.request('/sitemap.xml')).text());
  expect(urls.map(({ loc }) => loc)).toContain(`${CONTENT_BASE_URL}/${namespace}/${id}`);
});

test('on the host of the items crawlers are sent to the files of the service', async () => {
  const headers = { Host: new URL(CONTENT_BASE_URL).host };
  for (const path of ['/robots.txt', '/sitemap.xml']) {
    const response = await separate.request(path, { headers });
    expect(response.status).toBe(302);
    const location = new URL(response.headers.get('Location') ?? '');
    expect([location.port, location.pathname]).toEqual([new URL(separate.url).port, path]);
  }
});

test('a crawler over its limit may still read robots.txt, which would forbid it everything else', async () => {
  const statuses = new Set<number>();
  for (let n = 0; n < 5; n++) statuses.add((await separate.request('/api/gallery')).status);
  expect([...statuses]).toEqual([200, 429]);
  await expectError(await separate.request('/sitemap.xml'), 429, 'RATE_LIMITED');
  expect((await separate.request('/robots.txt')).status).toBe(200);
});
