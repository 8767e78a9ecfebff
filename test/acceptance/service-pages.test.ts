import { expect, test } from 'bun:test';
import { jsonOf } from './support/client.ts';
import { publishStore } from './support/kv-client.ts';
import { sharePerch } from './support/perch.ts';
import { publishSite } from './support/site-client.ts';

const perch = sharePerch();
const AS_BROWSER = { Accept: 'text/html', 'Sec-Fetch-Dest': 'document' };
const GERMAN = { 'Accept-Language': 'de-AT,de;q=0.9,en;q=0.5' };

/** Words for an item that may have been there. */
const EXPIRY = /expired|30 days|abgelaufen|30 Tage/;

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

test('an error of a part says what the item does not have, and leads to the item', async () => {
  const site = await publishSite(perch, { 'index.html': '<h1>Home</h1>' });
  const store = await publishStore(perch, { key: 'count', value: 1 });
  const page = await perch.publish('<p>Alone</p>');
  const expected: [item: { namespace: string; id: string }, part: string, english: string, german: string][] =
    [
      [site, 'nope.html', 'has no file “nope.html”', 'hat keine Datei „nope.html“'],
      [store, 'nope', 'has no key “nope”', 'hat keinen Schlüssel „nope“'],
      [page, 'nope', 'has no part “nope”', 'hat keinen Teil „nope“'],
    ];
  for (const [{ namespace, id }, part, english, german] of expected) {
    const path = `/${namespace}/${id}`;
    for (const [text, headers] of [
      [english, {}],
      [german, GERMAN],
    ] as const) {
      const answer = await open(`${path}/${part}`, headers);
      const markup = await answer.text();
      expect([answer.status, markup]).toEqual([404, expect.stringContaining(text)]);
      expect(markup).toContain(`<a class="button" href="${path}">`);
      expect(markup).not.toMatch(EXPIRY);
    }
    const { code, message } = await jsonOf<{ code: string; message: string }>(
      await perch.request(`${path}/${part}`),
      404,
    );
    expect(code).toBe('NOT_FOUND');
    expect(message).toContain(`"${part}"`);
    expect(message).not.toMatch(EXPIRY);
  }
});

test('an address that cannot be an item’s is not said to have expired', async () => {
  for (const [headers, text] of [
    [{}, 'There is no such address'],
    [GERMAN, 'Diese Adresse gibt es hier nicht'],
  ] as const) {
    const markup = await (await open('/never', headers)).text();
    expect(markup).toContain(text);
    expect(markup).not.toMatch(EXPIRY);
  }
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
