import { expect, test } from 'bun:test';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();
const AS_BROWSER = { Accept: 'text/html', 'Sec-Fetch-Dest': 'document' };
const GERMAN = { 'Accept-Language': 'de-AT,de;q=0.9,en;q=0.5' };

const open = (path: string, headers: Record<string, string> = {}) =>
  perch.request(path, { headers: { ...AS_BROWSER, ...headers } });

const assetsOf = (page: string): string[] =>
  [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, address]) => address ?? '');

test('what a page loads is cached for good, by an address that names its content', async () => {
  for (const path of ['/', '/gallery', '/stats', '/report']) {
    const assets = assetsOf(await (await open(path)).text());
    expect(assets.length).toBeGreaterThan(2);
    for (const asset of assets) {
      expect(asset).toMatch(/-[0-9a-f]{10}\./);
      const answer = await perch.request(asset);
      expect([asset, answer.status]).toEqual([asset, 200]);
      expect(answer.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    }
  }
});

test('an asset without a hash, or with that of another release, has to be asked for each time', async () => {
  const [current, other] = await Promise.all(
    ['/assets/perch.css', '/assets/perch-0123456789.css'].map((path) => perch.request(path)),
  );
  for (const answer of [current, other]) {
    expect(answer?.status).toBe(200);
    expect(answer?.headers.get('Cache-Control')).toBe('no-cache');
  }
  expect(other?.headers.get('ETag')).toBe(current?.headers.get('ETag') ?? '');
});

test('pages are written in the language that a browser prefers, or that its user has chosen', async () => {
  const german = await open('/', GERMAN);
  for (const name of ['Accept-Language', 'Cookie']) expect(german.headers.get('Vary')).toContain(name);
  const page = await german.text();
  expect(page).toContain('<html lang="de">');
  expect(page).toContain('>Galerie</a>');
  expect(page).toContain('.de.js"');

  expect(await (await open('/')).text()).toContain('<html lang="en">');
  const chosen = await open('/gallery', { ...GERMAN, Cookie: 'perch_language=en' });
  expect(await chosen.text()).toContain('<h1>Gallery</h1>');
});

test('errors are written in it for people, and in English for programs', async () => {
  const page = await open('/public/never-published-here', GERMAN);
  expect(page.status).toBe(404);
  const text = await page.text();
  expect(text).toContain('<h1>Nicht gefunden</h1>');
  expect(text).toContain('Unter dieser Adresse ist nichts.');
  const answer = await perch.request('/public/never-published-here', { headers: GERMAN });
  expect(((await answer.json()) as { message: string }).message).toStartWith('There is nothing at');
});

test('the page that edits is equal for every address, and may frame its preview alone', async () => {
  const host = new URL(perch.url).host;
  const page = await open('/edit/public/never-published-here');
  expect(page.status).toBe(200);
  expect(page.headers.get('Content-Security-Policy')).toContain(`frame-src ${host}/edit/preview;`);
  expect(page.headers.get('X-Frame-Options')).toBe('DENY');
  const text = await page.text();
  for (const path of ['/edit/x/y', '/edit/public/-', `/edit/public/${'a'.repeat(65)}`])
    expect((await open(path)).status).toBe(404);

  const unnamed = (markup: string, namespace: string, id: string): string =>
    markup.replaceAll(`${namespace}/${id}`, '').replace(`"${namespace}" data-id="${id}"`, '');
  const other = await (await open('/edit/other/item')).text();
  expect(unnamed(other, 'other', 'item')).toBe(unnamed(text, 'public', 'never-published-here'));
});

test('the frame of a preview has no origin, and only pages of its own host can frame it', async () => {
  const frame = await open('/edit/preview');
  expect(frame.status).toBe(200);
  const policy = frame.headers.get('Content-Security-Policy') ?? '';
  expect(policy).toStartWith('sandbox allow-scripts');
  expect(policy).not.toContain('allow-same-origin');
  expect(policy).not.toContain('allow-top-navigation');
  expect(policy).toEndWith(`frame-ancestors ${new URL(perch.url).host}`);
  const [script = ''] = assetsOf(await frame.text());
  // A page without an origin loads it.
  const loaded = await perch.request(script, { headers: { Origin: 'null' } });
  expect([loaded.status, loaded.headers.get('Access-Control-Allow-Origin')]).toEqual([200, '*']);
});
