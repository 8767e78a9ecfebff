import { describe, expect, test } from 'bun:test';
import { SAMPLES } from '../unit/gateway/file-samples.ts';
import { shortPath } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { NAVIGATION, type PublishedFile, publishFile, viewsOf } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const sample = async (name: string): Promise<PublishedFile> => {
  const [filename, , , content] = SAMPLES.find(([filename]) => filename === name) ?? [];
  return await publishFile(perch, filename ?? name, content ?? '');
};

const open = (file: PublishedFile, query = {}, headers = {}) =>
  perch.read(file, { query, headers: { ...NAVIGATION, ...headers } });

/** By what each kind of file is shown. */
const SHOWN: Array<[filename: string, element: RegExp]> = [
  ['image.png', /<img\s[^>]*src="([^"]+)"/g],
  ['image.svg', /<img\s[^>]*src="([^"]+)"/g],
  ['film.mp4', /<video\s[^>]*src="([^"]+)"/g],
  ['sound.mp3', /<audio\s[^>]*src="([^"]+)"/g],
  ['paper.pdf', /<(?:iframe|object|embed)\s[^>]*(?:src|data)="([^"]+)"/g],
  ['archive.zip', /<a\s[^>]*href="([^"]+)"/g],
  ['font.woff2', /<a\s[^>]*href="([^"]+)"/g],
];

/** An address out of a page's markup. */
const unescaped = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'");

/** Where an element of a page finds the file: the page has pictures and links of its own besides. */
function sourceIn(page: string, element: RegExp, file: PublishedFile): string {
  const sources = [...page.matchAll(element)].map(([, source = '']) => unescaped(source));
  return sources.find((source) => source.includes(shortPath(file))) ?? '';
}

describe('a browser that opens a file', () => {
  test.each(SHOWN)('gets a viewer page of ours: %s', async (name, element) => {
    const file = await sample(name);
    const response = await open(file);
    expect([response.status, response.headers.get('Content-Type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    for (const header of ['Accept', 'Sec-Fetch-Dest']) expect(response.headers.get('Vary')).toContain(header);
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("script-src 'unsafe-inline'");
    expect(response.headers.get('Cache-Control')).not.toContain('public');
    expect(response.headers.get('X-Views')).toBe('1');
    const page = await response.text();
    expect(page).toContain(name);
    expect(page).toContain(file.expiresAt.slice(0, 4));
    expect(page).toMatch(/report/i);
    expect(sourceIn(page, element, file)).not.toBe('');
  });

  for (const [name, element] of SHOWN.slice(0, 5)) {
    test(`is shown what it then asks for: ${name}`, async () => {
      const file = await sample(name);
      const source = sourceIn(await (await open(file)).text(), element, file);
      const { pathname, search } = new URL(source, perch.url);
      const shown = await perch.request(`${pathname}${search}`, {
        headers: { Accept: '*/*', 'Sec-Fetch-Dest': 'image' },
      });
      expect(shown.headers.get('Content-Type')).toBe(file.contentType);
      expect((await shown.bytes()).length).toBe(file.sizeBytes);
    });
  }

  test('finds a download that saves it under its name', async () => {
    const file = await sample('archive.zip');
    const page = await (await open(file)).text();
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => unescaped(link));
    const download = links.find((link) => /[?&]dl=/.test(link)) ?? '';
    const { pathname, search } = new URL(download, `${perch.url}${shortPath(file)}`);
    const response = await perch.request(`${pathname}${search}`, { headers: NAVIGATION });
    expect(response.headers.get('Content-Disposition')).toStartWith('attachment;');
    expect(response.headers.get('Content-Type')).toBe('application/zip');
  });

  test('reads a text as a highlighted page, and HTML as its source', async () => {
    const text = await publishFile(perch, 'code.ts', 'const a: string = "<b>";');
    const page = await (await open(text)).text();
    expect(page).toContain('hljs');
    expect(page).toContain('&lt;b&gt;');
    const html = await publishFile(perch, 'page.html', '<h1 id="own">Own</h1><script>alert(1)</script>');
    const response = await open(html);
    const source = await response.text();
    expect(source).not.toContain('<h1 id="own">');
    expect(source).not.toContain('<script>alert(1)');
    expect(source).toContain('Own');
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
  });

  test('reads markdown as a page, and its source on request, each with an ETag of its own', async () => {
    const file = await publishFile(perch, 'notes.md', '# Título\n\n*Some* text, Grüße 🐦\n');
    const [page, source] = [await open(file), await open(file, { view: 'source' })];
    expect(page.headers.get('ETag')).not.toBe(source.headers.get('ETag'));
    for (const { headers } of [page, source])
      expect(headers.get('Content-Security-Policy')).toContain('sandbox');
    const [markup, text] = [await page.text(), await source.text()];
    expect(markup).toContain('<em>Some</em> text, Grüße 🐦');
    expect(markup).not.toContain('id="L1"');
    expect(markup.match(/<!doctype html>/g)).toHaveLength(1);
    expect(text).toStartWith('<!doctype html>');
    expect(text).toContain('id="L1"');
    expect(text).toContain('Grüße 🐦');
    expect(await (await open(file, { raw: true })).text()).toStartWith('# Título');
  });

  test('reads an empty text', async () => {
    const response = await open(await publishFile(perch, 'empty.txt', ''));
    expect([response.status, response.headers.get('Content-Type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
  });

  test('sees a name as text, whatever it is', async () => {
    const name = `<img src=x onerror=alert(1)>"'&.txt`;
    for (const [filename, content] of [
      [name, 'x'],
      [name.replace('.txt', '.zip'), SAMPLES.find(([sampled]) => sampled === 'archive.zip')?.[3] ?? ''],
    ] as const) {
      const page = await (await open(await publishFile(perch, filename, content))).text();
      expect(page).not.toContain('<img src=x');
      expect(page).toContain('&lt;img src=x');
    }
  });

  test('gets the bytes with raw, dl or a range', async () => {
    const file = await sample('image.png');
    for (const [query, headers] of [
      [{ raw: true }, {}],
      [{ raw: '' }, {}],
      [{ dl: 1 }, {}],
      [{}, { Range: 'bytes=0-' }],
    ] as const) {
      const response = await open(file, query, headers);
      expect(response.headers.get('Content-Type')).toBe('image/png');
      expect((await response.bytes()).length).toBe(file.sizeBytes);
    }
    expect((await open(file, { raw: false })).headers.get('Content-Type')).toStartWith('text/html');
  });
});

/** The Accept headers of browsers when a person opens an address. */
const BROWSERS: Record<string, string> = {
  Chrome:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  'Firefox until 127': 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  Firefox:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/png,image/svg+xml,*/*;q=0.8',
  Safari: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Internet Explorer': 'text/html, application/xhtml+xml, image/jxr, */*',
  Lynx: 'text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01',
  w3m: 'text/html, text/*;q=0.5, image/*, application/*',
  'one that would rather have XHTML': 'text/html;q=0.9, application/xhtml+xml',
};

test.each(Object.entries(BROWSERS))('gets the viewer by what it accepts: %s', async (_, Accept) => {
  const response = await perch.read(await sample('archive.zip'), { headers: { Accept } });
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
});

test('all other clients get the bytes', async () => {
  const file = await sample('notes.html');
  const clients: Array<Record<string, string>> = [
    {},
    { Accept: '*/*' },
    { Accept: 'image/avif,image/webp,*/*;q=0.8' },
    { Accept: 'application/json' },
    { Accept: 'text/markdown, text/html;q=0.9' },
    { Accept: 'text/plain, text/html;q=0.1' },
    { Accept: 'image/png, text/html;q=0.5' },
    { Accept: 'application/json;q=0.5, */*' },
    { ...NAVIGATION, 'Sec-Fetch-Dest': 'image' },
    { ...NAVIGATION, 'Sec-Fetch-Dest': 'iframe' },
    { ...NAVIGATION, 'Sec-Fetch-Dest': 'video' },
  ];
  for (const headers of clients) {
    const response = await perch.read(file, { headers });
    expect([headers, await response.text()]).toEqual([headers, '<p>a']);
  }
  const api = await perch.request(`/api/files/public/${file.id}`, { headers: NAVIGATION });
  expect(await api.text()).toBe('<p>a');
});

test('the viewer counts as a view, for all who open it at once', async () => {
  const file = await sample('image.png');
  await atOnce(20, async (n) => {
    const response = await (n % 2 === 0 ? open(file) : perch.read(file));
    expect(response.status).toBe(200);
  });
  expect(await viewsOf(perch, file)).toBe(20);
});
