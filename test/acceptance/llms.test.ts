import { describe, expect, test } from 'bun:test';
import { registeredRoutes, withoutNames } from '../openapi/app.ts';
import { sharePerch, usePerch } from './support/perch.ts';

const perch = sharePerch();

test('llms.txt says how to publish here', async () => {
  for (const client of perch.clients) {
    const response = await client.request('/llms.txt');
    expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    const text = await response.text();
    expect(text).toStartWith('# Perch\n');
    expect(text.match(/^curl /gm)).toHaveLength(6);
    expect(text).toContain('/llms-full.txt)');
  }
});

test('its links lead somewhere', async () => {
  const text = await (await perch.request('/llms.txt')).text();
  const links = [...text.matchAll(/\]\((\S+)\)/g)].map(([, link = '']) => new URL(link).pathname);
  expect(links.length).toBeGreaterThan(4);
  for (const path of links) expect([path, (await perch.request(path)).status]).toEqual([path, 200]);
});

test('llms-full.txt has every route of the service', async () => {
  const text = await (await perch.request('/llms-full.txt')).text();
  const described = [...text.matchAll(/^### ([A-Z]+) (\/\S*)$/gm)].map(
    ([, method, path = '']) => `${method} ${withoutNames(path)}`,
  );
  const routes = registeredRoutes().map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual([...new Set(routes)].sort());
});

test.each(['/llms.txt', '/llms-full.txt'])('%s does not come twice to who has it', async (path) => {
  const first = await perch.request(path, { headers: { 'Accept-Encoding': 'identity' } });
  expect(first.headers.get('Cache-Control')).toBe('no-cache');
  const known = { 'Accept-Encoding': 'identity', 'If-None-Match': first.headers.get('ETag') ?? '' };
  expect((await perch.request(path, { headers: known })).status).toBe(304);
  const all = await Promise.all(
    Array.from({ length: 5 }, async () => await (await perch.request(path)).text()),
  );
  expect(new Set([...all, await first.text()]).size).toBe(1);
});

describe('with settings of its own', () => {
  const CONTENT_BASE_URL = 'http://pages.test:8080';
  const own = usePerch({
    env: {
      BASE_URL: 'https://perch.test',
      CONTENT_BASE_URL,
      LIMIT_UPLOADS_PER_HOUR: '7',
      LIMIT_READS_PER_MINUTE: '0',
    },
  });

  test('the files speak of this server', async () => {
    const short = await (await own.request('/llms.txt')).text();
    expect(short).toContain('curl https://perch.test/api/html ');
    const whole = await (await own.request('/llms-full.txt')).text();
    expect(whole).toContain('Base URL: https://perch.test\n');
    expect(whole).toContain('Creates and reports from one address: 7 an hour');
    expect(whole).toContain('Reads of items, lists and the gallery from one address: unlimited');
  });

  test('the host of the items sends to them, and to the gallery', async () => {
    for (const path of ['/llms.txt', '/llms-full.txt', '/gallery?q=x']) {
      const response = await own.request(path, { headers: { Host: new URL(CONTENT_BASE_URL).host } });
      expect([response.status, response.headers.get('Location')]).toEqual([302, `https://perch.test${path}`]);
    }
  });
});
