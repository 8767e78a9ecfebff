import { beforeAll, describe, expect, test } from 'bun:test';
import { shortPath } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { NAVIGATION } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';
import { type PublishedSite, publishSite, readSite, type SiteFiles } from './support/site-client.ts';
import { rawRequest } from './support/socket.ts';

const perch = sharePerch();

const FILES: SiteFiles = {
  'index.html': '<p>entry',
  'about.html': '<p>about',
  'css/site.css': 'p {}',
  'docs/index.html': '<p>docs',
  'docs/deep/er/page.html': '<p>deep',
  'empty/only.txt': 'only',
  'größe/日本 🐦.html': '<p>unicode',
  'a b/c+d&e=f#g?h.txt': 'special',
  '100%.txt': 'percent',
  'größe/up 50%/index.html': '<p>half',
  '%41.txt': 'encoded twice',
  'A.txt': 'a plain letter',
  "it's (here)!.txt": 'quoted',
  noextension: 'none',
};

let site: PublishedSite;
let withErrorPage: PublishedSite;
beforeAll(async () => {
  site = await publishSite(perch, FILES);
  withErrorPage = await publishSite(perch, {
    'index.html': '<p>entry',
    '404.html': '<p>not here',
    'a/b.txt': 'b',
  });
});

/** As it stands, where an HTTP client might encode it. */
const readPath = async (path: string, of: PublishedSite = site, headers: string[] = []) =>
  await rawRequest(perch.url, `GET ${shortPath(of)}/${path}`, ['User-Agent: x/1', ...headers]);

/** Each is itself, and no other of the same meaning. */
const QUERIES = [
  '?a=1&b=%20x',
  '?v',
  '?v=',
  '?a=%FF',
  '?a=+&b=%2B',
  '?a&&b=%7E~',
  '?p=1&token=2',
  '?%',
  '?a/b?c',
];

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

describe('the address of a site', () => {
  test('with the slash is its entry, for everybody', async () => {
    for (const headers of [{}, NAVIGATION]) {
      const response = await readSite(perch, site, '', { headers });
      expect([response.status, await response.text()]).toEqual([200, '<p>entry']);
      expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    }
  });

  test('without it is the entry for a program', async () => {
    const response = await perch.read(site);
    expect([response.status, await response.text()]).toEqual([200, '<p>entry']);
  });

  test('without it sends a browser there, with its query', async () => {
    for (const query of ['', ...QUERIES]) {
      const response = await perch.request(`${shortPath(site)}${query}`, { headers: NAVIGATION });
      expect(response.status).toBe(308);
      expect(response.headers.get('Location')).toBe(`${shortPath(site)}/${query}`);
      for (const name of ['Accept', 'Sec-Fetch-Dest']) expect(response.headers.get('Vary')).toContain(name);
    }
    const embedded = { ...NAVIGATION, 'Sec-Fetch-Dest': 'image' };
    expect((await perch.read(site, { headers: embedded })).status).toBe(200);
  });

  test('without it sends a frame of another page there', async () => {
    for (const destination of ['iframe', 'frame', 'embed', 'object']) {
      const response = await perch.read(site, {
        headers: { ...NAVIGATION, 'Sec-Fetch-Dest': destination },
      });
      expect([destination, response.status]).toEqual([destination, 308]);
      expect(response.headers.get('Location')).toBe(`${shortPath(site)}/`);
    }
  });

  test('is its entry for a program, and leads a browser there, also where it lies in a folder', async () => {
    const deep = await publishSite(perch, { 'docs/start.html': '<p>start', 'site.css': 'p {}' });
    for (const path of [shortPath(deep), `${shortPath(deep)}/`]) {
      const response = await perch.request(path);
      expect([response.status, await response.text()]).toEqual([200, '<p>start']);
    }
    const shown = await readSite(perch, deep, '', { headers: NAVIGATION });
    expect([shown.status, shown.headers.get('Location')]).toEqual([
      308,
      `${shortPath(deep)}/docs/start.html`,
    ]);
  });
});

describe('a path of a site', () => {
  test.each(Object.keys(FILES))('is the file, percent-encoded: %s', async (path) => {
    const response = await readSite(perch, site, encodePath(path));
    expect([response.status, await response.text()]).toEqual([200, String(FILES[path])]);
  });

  test('may be encoded more than it needs', async () => {
    const every = [...'css/site.css'].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    expect((await readSite(perch, site, every)).status).toBe(200);
    expect((await readSite(perch, site, 'css%2Fsite.css')).status).toBe(200);
    expect((await readSite(perch, site, '%6eoextension')).status).toBe(200);
  });

  test('may have a percent sign that encodes nothing, as browsers leave it in a link', async () => {
    for (const [path, content] of [
      ['100%.txt', 'percent'],
      ['gr%C3%B6%C3%9Fe/up%2050%/', '<p>half'],
      ['gr%C3%B6%C3%9Fe/up%2050%/index.html', '<p>half'],
    ] as const) {
      const { status, body } = await readPath(path);
      expect([path, status, body]).toEqual([path, 200, content]);
    }
    const folder = await readPath('gr%C3%B6%C3%9Fe/up%2050%?at=100%', site, ['Accept: text/html']);
    const location = `${shortPath(site)}/gr%C3%B6%C3%9Fe/up%2050%25/?at=100%`;
    expect([folder.status, folder.headers.location]).toEqual([308, location]);
  });

  test('may be in NFD', async () => {
    const path = encodePath('größe/日本 🐦.html'.normalize('NFD'));
    expect(await (await readSite(perch, site, path)).text()).toBe('<p>unicode');
  });

  test('may have a plus, which is no space', async () => {
    expect(await (await readSite(perch, site, 'a%20b/c+d&e=f%23g%3Fh.txt')).text()).toBe('special');
    expect((await readSite(perch, site, 'a+b/c+d&e=f%23g%3Fh.txt')).status).toBe(404);
  });

  test('may have a query, which changes nothing', async () => {
    for (const query of [{ v: '1.2.3' }, { x: '' }, { raw: true }])
      expect(await (await readSite(perch, site, 'css/site.css', { query })).text()).toBe('p {}');
  });

  test('with dl is a download', async () => {
    const response = await readSite(perch, site, encodePath('größe/日本 🐦.html'), { query: { dl: true } });
    const disposition = response.headers.get('Content-Disposition') ?? '';
    expect(disposition).toStartWith('attachment;');
    expect(disposition).toContain(`filename*=UTF-8''${encodeURIComponent('日本 🐦.html')}`);
  });
});

describe('a folder', () => {
  test('with its slash is its index.html', async () => {
    for (const headers of [{}, NAVIGATION])
      expect(await (await readSite(perch, site, 'docs/', { headers })).text()).toBe('<p>docs');
  });

  test('without the slash is its index.html for a program, and leads a browser there', async () => {
    const headers = NAVIGATION;
    for (const query of ['', ...QUERIES]) {
      const plain = await readSite(perch, site, `docs${query}`);
      expect([plain.status, await plain.text()]).toEqual([200, '<p>docs']);
      const shown = await readSite(perch, site, `docs${query}`, { headers });
      const location = shown.headers.get('Location');
      expect([shown.status, location]).toEqual([308, `${shortPath(site)}/docs/${query}`]);
      for (const { headers: answered } of [plain, shown])
        for (const name of ['Accept', 'Sec-Fetch-Dest']) expect(answered.get('Vary')).toContain(name);
    }
    const followed = await readSite(perch, site, 'docs', { headers, redirect: 'follow' });
    expect(await followed.text()).toBe('<p>docs');
  });

  test('without an index.html is not there', async () => {
    for (const path of ['empty', 'empty/', 'docs/deep/', 'css/'])
      await expectError(await readSite(perch, site, path), 404, 'NOT_FOUND');
  });
});

describe('what is not there', () => {
  const MISSING = [
    'missing',
    'missing.html',
    'css/missing.css',
    'INDEX.HTML',
    'a.txt',
    'index.html/',
    'css/site.css/x',
  ];

  test('is 404', async () => {
    for (const path of [...MISSING, '%00', 'x'.repeat(2_000)])
      await expectError(await readSite(perch, site, path), 404, 'NOT_FOUND');
    const page = await readSite(perch, site, 'missing', { headers: NAVIGATION });
    expect([page.status, page.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
  });

  test("is the site's own 404.html, with 404", async () => {
    for (const path of [...MISSING, 'a/', 'a'])
      for (const headers of [{}, NAVIGATION]) {
        const response = await readSite(perch, withErrorPage, path, { headers });
        expect([path, response.status, await response.text()]).toEqual([path, 404, '<p>not here']);
        expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
        expect(response.headers.get('Content-Security-Policy')).toStartWith('sandbox');
        expect(response.headers.has('Content-Range')).toBe(false);
      }
    const own = await readSite(perch, withErrorPage, '404.html');
    expect([own.status, await own.text()]).toEqual([200, '<p>not here']);
  });

  test('cannot be reached by dots or by what does not decode', async () => {
    const other = await publishSite(perch, { 'index.html': '<p>other' });
    for (const path of [
      ...[
        '../../etc/passwd',
        '..%2f..%2fetc%2fpasswd',
        '%2e%2e/%2e%2e/x',
        '....//x',
        'css/..%2f..%2findex.html',
      ],
      ...[`..%2f${other.id}/index.html`, '%', '%zz', '%c0%ae%c0%ae/x', '/css/site.css'],
    ])
      expect([path, (await readPath(path)).status]).toEqual([path, 404]);
    for (const path of [
      ...['%', '%zz', '100%.html', '%ff', '%c0%ae%c0%ae%2fx', '%/..%2f..%2fetc%2fpasswd', '%zz%00'],
      ...[`%/..%2f..%2f${other.id}%2findex.html`, '..%2f..%2f%zz', 'a%2f..%2f%2f%', '%/%2e%2e%5c%2e%2e%5cx'],
    ]) {
      const { status, body } = await readPath(path, withErrorPage);
      expect([path, status, body]).toEqual([path, 404, '<p>not here']);
    }
  });

  test('is no item of another name, where namespace or id do not decode', async () => {
    for (const path of ['/public/%zz/x', '/public/100%/x', '/pub%lic/abc/x', `/public%/${site.id}/`]) {
      const { status, body } = await rawRequest(perch.url, `GET ${path}`, ['User-Agent: x/1']);
      expect([path, status]).toEqual([path, 404]);
      expect(body).toContain('There is no such address');
    }
  });
});

test('a fetch of all files at once gets each of them', async () => {
  const paths = Object.keys(FILES);
  await atOnce(60, async (n) => {
    const path = paths[n % paths.length] ?? '';
    expect(await (await readSite(perch, site, encodePath(path))).text()).toBe(String(FILES[path]));
  });
});
