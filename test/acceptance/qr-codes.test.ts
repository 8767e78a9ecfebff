import { expect, test } from 'bun:test';
import { nanoid } from 'nanoid';
import { toString as toText } from 'qrcode';
import { readQrCodes } from '../qr-reader.ts';
import { ownedBy, type Published, shortPath } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { KINDS, publishKind } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();
const LOOK = { errorCorrectionLevel: 'M', margin: 4 } as const;

const svgOf = (item: Pick<Published, 'namespace' | 'id'>, options = {}) =>
  perch.request(`${shortPath(item)}.qr.svg`, options);

test('every item has its address as a QR code, as SVG and PNG, without counting a view', async () => {
  for (const kind of KINDS) {
    const item = await publishKind(perch, kind, 'x');
    const svg = await svgOf(item);
    expect(svg.headers.get('Content-Type')).toBe('image/svg+xml');
    expect(await svg.text()).toBe(await toText(item.url, { ...LOOK, type: 'svg' }));
    // Without BASE_URL it is the address by which the request came.
    const png = await perch.last.request(`${shortPath(item)}.qr.png`);
    expect(png.headers.get('Content-Type')).toBe('image/png');
    expect(await readQrCodes(await png.bytes())).toEqual([`${perch.last.url}${shortPath(item)}`]);
    const head = await svgOf(item, { method: 'HEAD' });
    expect([head.status, head.headers.get('X-Views')]).toEqual([200, '0']);
    const etag = svg.headers.get('ETag') ?? '';
    expect((await svgOf(item, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  }
});

test('no script of a service worker is one', async () => {
  const item = await perch.publish('<p>worker');
  const asked = await svgOf(item, { headers: { 'Service-Worker': 'script' } });
  await expectError(asked, 404, 'NOT_FOUND');
});

test('a compressed one is known again by its own ETag', async () => {
  const item = await perch.publish('<p>compressed');
  const coded = { 'Accept-Encoding': 'gzip' };
  const first = await svgOf(item, { headers: coded });
  const etag = first.headers.get('ETag') ?? '';
  expect([first.headers.get('Content-Encoding'), first.headers.get('Vary')]).toEqual([
    'gzip',
    'Accept-Encoding',
  ]);
  const again = await svgOf(item, { headers: { ...coded, 'If-None-Match': etag } });
  expect([again.status, again.headers.get('ETag'), again.headers.get('Vary')]).toEqual([
    304,
    etag,
    'Accept-Encoding',
  ]);
});

test('an item of that very id goes before, and an id may be as long as any', async () => {
  const id = `q${nanoid(12)}`;
  const long = `l${nanoid(63)}`;
  const [item, picture, longest] = await Promise.all([
    perch.publish('<p>item', { query: { id } }),
    perch.publish('<p>a page with that name', { query: { id: `${id}.qr.svg` } }),
    perch.publish('<p>long', { query: { id: long } }),
  ]);
  expect(await (await svgOf(item)).text()).toContain('a page with that name');
  expect((await svgOf(longest)).headers.get('Content-Type')).toBe('image/svg+xml');
  await perch.api(picture, { method: 'DELETE', ...ownedBy(picture) });
  expect((await svgOf(item)).headers.get('Content-Type')).toBe('image/svg+xml');
  await expectError(await perch.request(`${shortPath(longest)}.qr.svg/part`), 404, 'NOT_FOUND');
});

test('a protected item has one, which no cache keeps; what is not there has none', async () => {
  const item = await perch.publish('<p>secret', { headers: { 'X-Password': 'correct horse' } });
  const response = await svgOf(item);
  expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'private, no-store']);
  await perch.api(item, { method: 'DELETE', ...ownedBy(item) });
  await expectError(await svgOf(item), 404, 'NOT_FOUND');
  await expectError(
    await perch.request(`${shortPath(item)}.qr.svg`, { method: 'PUT' }),
    405,
    'METHOD_NOT_ALLOWED',
  );
});
