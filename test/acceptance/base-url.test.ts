import { describe, expect, test } from 'bun:test';
import { readQrCodes } from '../qr-reader.ts';
import { readSitemapFile } from '../sitemap-file.ts';
import { jsonOf, type Published, type RequestOptions, raw, shortPath } from './support/client.ts';
import { createOf, KINDS } from './support/kinds.ts';
import { usePerch } from './support/perch.ts';

const perch = usePerch({ env: { BASE_URL: '' } });
const behind = usePerch({ env: { BASE_URL: '', TRUST_PROXY: '1' } });

const LAN = 'perch.lan:8080';
const BROWSER = { Accept: 'text/html,*/*;q=0.8' };

const by = (host: string, options: RequestOptions = {}): RequestOptions => ({
  ...options,
  headers: { ...options.headers, Host: host },
});

/** All texts of an answer that begin with http. */
const addressesIn = (value: unknown): string[] => JSON.stringify(value).match(/https?:\/\/[^"\\/\s]+/g) ?? [];

describe('without BASE_URL links begin with the address by which the request came', () => {
  test.each(KINDS)('in the answers to creates and in lists, of kind $name', async (kind) => {
    for (const host of [LAN, '192.168.1.7:8080', '[::1]:8080', 'PERCH.Example']) {
      const { headers, ...sent } = kind.create('x', { query: { ns: 'by-host' } });
      const response = await perch.request(kind.path, {
        method: 'POST',
        ...sent,
        headers: { ...headers, Host: host },
      });
      const item = await jsonOf<Published>(response, 201);
      const origin = `http://${host.toLowerCase()}`;
      expect([...new Set(addressesIn([item, response.headers.get('Location')]))]).toEqual([origin]);
      const own = { headers: { 'X-Owner-Token': item.ownerToken } };
      const lists = [
        perch.request(kind.path, by(LAN, { query: { ns: 'by-host' }, ...own })),
        perch.request('/api/owner/items', by(LAN, own)),
        perch.request('/api/gallery', by(LAN, { query: { mine: 'true' }, ...own })),
      ];
      for (const list of await Promise.all(lists))
        expect([...new Set(addressesIn(await jsonOf(list)))]).toEqual([`http://${LAN}`]);
      const short = await perch.request(new URL(item.shortUrl).pathname, by(LAN));
      expect(short.headers.get('Location')).toBe(`http://${LAN}${shortPath(item)}`);
    }
  });

  test('also where a create is repeated from another address', async () => {
    const key = { 'Idempotency-Key': crypto.randomUUID(), 'X-Owner-Token': `token ${crypto.randomUUID()}` };
    const post = async (host: string) =>
      await jsonOf<Published>(
        await perch.post(raw('<p>twice', 'text/html', by(host, { headers: key }))),
        201,
      );
    const [first, again] = [await post('first.lan'), await post('second.lan')];
    expect(again.id).toBe(first.id);
    expect([first.url, again.url]).toEqual([
      `http://first.lan/public/${first.id}`,
      `http://second.lan/public/${first.id}`,
    ]);
  });

  test('in the files for crawlers and models, and on pages for people', async () => {
    const page = await perch.publish('<p>listed');
    for (const host of [LAN, 'other.lan']) {
      const origin = `http://${host}`;
      const sitemap = await perch.request('/sitemap.xml', by(host));
      expect(sitemap.headers.get('Cache-Control')).toBe('private, max-age=600');
      for (const { loc } of readSitemapFile(await sitemap.text()).urls) expect(loc).toStartWith(`${origin}/`);
      const robots = await perch.request('/robots.txt', by(host));
      expect(robots.headers.get('Cache-Control')).toBe('private, max-age=3600');
      expect(await robots.text()).toContain(`Sitemap: ${origin}/sitemap.xml`);
      for (const ending of ['svg', 'png']) {
        const code = await perch.request(`${shortPath(page)}.qr.${ending}`, by(host));
        expect([ending, code.headers.get('Cache-Control')]).toEqual([ending, 'private, max-age=3600']);
        if (ending === 'png')
          expect(await readQrCodes(await code.bytes())).toEqual([`${origin}${shortPath(page)}`]);
      }
      for (const path of ['/llms.txt', '/llms-full.txt', '/', '/gallery', '/stats']) {
        const text = await (await perch.request(path, by(host, { headers: BROWSER }))).text();
        expect([path, text.includes(origin), /base-url\.invalid|:8080\b.*other/.test(text)]).toEqual([
          path,
          true,
          false,
        ]);
      }
    }
    const document = await jsonOf<{ servers: unknown }>(await perch.request('/docs/json', by(LAN)));
    expect(document.servers).toEqual([{ url: '/', description: 'This server.' }]);
  });
});

describe('an address that somebody made up', () => {
  test('reaches nobody else: not by kept pages, their bars, viewers or files', async () => {
    const html = await perch.publish('<title>T</title><p>page', { query: { showTopBar: true } });
    const markdown = await perch.publish(raw('# Text', 'text/markdown', { query: { showTopBar: true } }));
    const items = [html, markdown];
    for (const kind of KINDS.filter(({ name }) => name !== 'html'))
      items.push(await jsonOf<Published>(await createOf(perch, kind, 'listed'), 201));
    const paths = [
      ...items.map(shortPath),
      '/sitemap.xml',
      '/robots.txt',
      '/llms.txt',
      '/llms-full.txt',
      '/gallery',
    ];
    for (let round = 0; round < 3; round++)
      for (const path of paths) {
        const evil = await perch.request(path, {
          ...by('evil.example', { headers: BROWSER }),
          redirect: 'manual',
        });
        await evil.text();
        const clean = await perch.request(path, { ...by(LAN, { headers: BROWSER }), redirect: 'manual' });
        const seen = `${await clean.text()} ${JSON.stringify(Object.fromEntries(clean.headers))}`;
        expect([path, seen.includes('evil.example')]).toEqual([path, false]);
      }
    const gallery = await jsonOf(await perch.request('/api/gallery', by(LAN)));
    expect(JSON.stringify(gallery)).not.toContain('evil.example');
    // A page that is kept for all tells no address of its own.
    const page = await (await perch.read(html, by(LAN))).text();
    expect(page).toContain(`<link rel="canonical" href="${shortPath(html)}">`);
    expect(page).toContain('"/report?item=');
  });

  test('that is no host is not repeated', async () => {
    for (const host of ['user@evil.example', 'evil.example"x', '-evil', 'a b']) {
      const response = await fetch(`${perch.url}/api/html`, {
        method: 'POST',
        body: '<p>x',
        headers: { 'User-Agent': 'Test/1', 'Content-Type': 'text/html', Host: host },
      }).catch(() => null);
      if (response === null || response.status !== 201) continue;
      expect(((await response.json()) as Published).url).toStartWith('http://localhost:');
    }
  });

  test('does not come from headers of proxies that are not trusted', async () => {
    const forged = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https', Host: LAN };
    const response = await perch.post(raw('<p>x', 'text/html', { headers: forged }));
    expect((await jsonOf<Published>(response, 201)).url).toStartWith(`http://${LAN}/`);
  });
});

describe('behind TRUST_PROXY', () => {
  const urlBy = async (headers: Record<string, string>) => {
    const response = await behind.post(
      raw('<p>x', 'text/html', { headers: { Host: '10.0.0.1:8080', ...headers } }),
    );
    return new URL((await jsonOf<Published>(response, 201)).url).origin;
  };

  test('links begin with the address that the proxy forwards', async () => {
    expect(await urlBy({ 'X-Forwarded-Host': 'tunnel.example', 'X-Forwarded-Proto': 'https' })).toBe(
      'https://tunnel.example',
    );
    expect(await urlBy({ 'X-Forwarded-Proto': 'https' })).toBe('https://10.0.0.1:8080');
    expect(await urlBy({ 'X-Forwarded-Host': 'evil.example, tunnel.example' })).toBe('http://tunnel.example');
    expect(await urlBy({ 'X-Forwarded-Host': 'no host', 'X-Forwarded-Proto': 'gopher' })).toStartWith(
      'http://localhost',
    );
    expect(await urlBy({})).toBe('http://10.0.0.1:8080');
  });

  test('a kept page is not given to who came by another address', async () => {
    const page = await behind.publish('<p>kept', { query: { showTopBar: true } });
    for (let round = 0; round < 3; round++)
      for (const host of ['evil.example', 'tunnel.example']) {
        const text = await (await behind.read(page, { headers: { 'X-Forwarded-Host': host } })).text();
        expect(text).not.toContain(host === 'evil.example' ? 'tunnel.example' : 'evil.example');
      }
  });

  test('the cookie of an unlocked item is for https alone where the proxy has https', async () => {
    const page = await behind.publish('<p>locked', { headers: { 'X-Password': 'right' } });
    const unlock = (proto: string) =>
      behind.request(`/api${shortPath(page)}/unlock`, {
        method: 'POST',
        body: 'password=right',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-Proto': proto },
      });
    expect((await unlock('https')).headers.get('Set-Cookie')).toContain('; Secure');
    expect((await unlock('http')).headers.get('Set-Cookie')).not.toContain('Secure');
  });
});
