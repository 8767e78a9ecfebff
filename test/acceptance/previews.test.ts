import { describe, expect, test } from 'bun:test';
import { ownedBy, type Published, shortPath } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { KINDS, publishKind } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const picture = (item: Pick<Published, 'namespace' | 'id'>, options = {}) =>
  perch.request(`/preview${shortPath(item)}.png`, options);

/** Width and height of a PNG (its IHDR chunk). */
function sizeOf(png: Uint8Array): [number, number] {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  expect(new TextDecoder('latin1').decode(png.subarray(1, 4))).toBe('PNG');
  return [view.getUint32(16), view.getUint32(20)];
}

async function expectGeneral(response: Response): Promise<void> {
  expect([response.status, response.headers.get('Location')]).toEqual([302, '/assets/og.png']);
}

describe('the picture of an item', () => {
  test('is drawn for each kind, again for each version, and counts no view', async () => {
    const page = await perch.publish('<h1>Launch</h1><p>We go live on <b>Monday</b>.', {
      query: { title: 'Launch & "more" <b>', tags: 'docs,launch' },
    });
    const others = await Promise.all(KINDS.map((kind) => publishKind(perch, kind, 'x')));
    for (const item of [page, ...others]) {
      const response = await picture(item);
      expect(response.headers.get('Cache-Control')).toBe('public, max-age=3600');
      expect(sizeOf(await response.bytes())).toEqual([1_200, 630]);
    }
    const before = await picture(page);
    const etag = before.headers.get('ETag') ?? '';
    const unchanged = { headers: { 'If-None-Match': etag } };
    expect((await picture(page, unchanged)).status).toBe(304);
    await perch.api(page, {
      method: 'PUT',
      body: '<h1>Launched</h1><p>We are live.',
      query: { title: 'Launched' },
      headers: { 'Content-Type': 'text/html', 'X-Owner-Token': page.ownerToken },
    });
    const after = await picture(page, unchanged);
    expect(after.status).toBe(200);
    expect(await after.bytes()).not.toEqual(await before.bytes());
    expect((await perch.read(page)).headers.get('X-Views')).toBe('1');
  });

  test('is the general one of what is missing, protected or removed', async () => {
    const locked = await perch.publish('<p>secret', { headers: { 'X-Password': 'correct horse' } });
    await expectGeneral(await picture(locked));
    await expectGeneral(await picture(locked, ownedBy(locked)));
    await expectGeneral(await picture({ namespace: 'public', id: 'nothing-is-here' }));
    const gone = await perch.publish('<p>gone');
    expect((await picture(gone)).status).toBe(200);
    await perch.api(gone, { method: 'DELETE', ...ownedBy(gone) });
    await expectGeneral(await picture(gone));
    const general = await perch.request('/assets/og.png');
    expect(general.headers.get('Content-Type')).toBe('image/png');
    expect(sizeOf(await general.bytes())).toEqual([1_200, 630]);
    await expectError(await perch.request('/preview/public/x.gif'), 404, 'NOT_FOUND');
  });

  test('is drawn from texts of any kind, and for many at once', async () => {
    const titles = ['你好', '🐦🐦', 'x'.repeat(200), 'мир', 'a'.repeat(20).split('').join(' '), '\u202etxet'];
    const pages = await Promise.all(
      titles.map((title) => perch.publish(`<p>${'long '.repeat(5_000)}`, { query: { title } })),
    );
    const drawn = await Promise.all(pages.flatMap((page) => [picture(page), picture(page)]));
    for (const response of drawn) expect(sizeOf(await response.bytes())).toEqual([1_200, 630]);
  });
});

test('the page of an item has its title, picture and address; of all that is not public nothing is told', async () => {
  const title = 'Launch "notes" <script>';
  const item = await perch.publish('<p>public', { query: { title } });
  const html = await (await perch.request(`/preview-html${shortPath(item)}`)).text();
  const { origin } = new URL(item.url);
  expect(html).toContain(`<meta property="og:url" content="${item.url}">`);
  expect(html).toContain(`<meta property="og:image" content="${origin}/preview${shortPath(item)}.png">`);
  expect(html).toContain('<meta name="twitter:card" content="summary_large_image">');
  expect(html).toContain(`href="${shortPath(item)}"`);
  expect(html).not.toContain('<script>');
  const hidden = [
    await perch.publish('<p>private', { query: { ns: 'previews-private', title: 'Hidden' } }),
    await perch.publish('<p>locked', {
      query: { title: 'Hidden' },
      headers: { 'X-Password': 'correct horse' },
    }),
    { namespace: 'public', id: 'nothing-is-here' },
  ];
  const answers = await Promise.all(
    hidden.map(async (one) => await (await perch.request(`/preview-html${shortPath(one)}`)).text()),
  );
  expect(answers[0]).toContain('/assets/og.png');
  expect(new Set(answers).size).toBe(1);
});

test("the page of an item, and the general one, are in the reader's language", async () => {
  const item = await perch.publish('<p>public', { query: { title: 'Start' } });
  const headers = { 'Accept-Language': 'de' };
  const page = await perch.request(`/preview-html${shortPath(item)}`, { headers });
  expect(page.headers.get('Vary')).toContain('Accept-Language, Cookie');
  const html = await page.text();
  expect(html).toContain('<html lang="de">');
  expect(html).toContain(`<a href="${shortPath(item)}">Öffnen</a>`);
  const general = await (await perch.request('/preview-html/public/nothing-is-here', { headers })).text();
  expect(general).toContain('<html lang="de">');
  expect(general).toContain('<a href="/">Zur Startseite</a>');
});
