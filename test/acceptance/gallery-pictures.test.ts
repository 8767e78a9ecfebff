import { expect, setDefaultTimeout, test } from 'bun:test';
import sharp from 'sharp';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { type Address, type Client, jsonOf, ownedBy, type Published, raw } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { form } from './support/multipart.ts';
import { usePerch } from './support/perch.ts';

setDefaultTimeout(60_000);
const perch = usePerch({
  gateways: 2,
  contents: 2,
  env: { ADMIN_PASSWORD, LIMIT_READS_PER_MINUTE: '100000', SWEEP_INTERVAL_SECONDS: '1' },
});

const image = (format: 'png' | 'jpeg', width = 800, height = 600): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#2a9d8f' } })
    .toFormat(format)
    .toBuffer();

async function upload(
  content: Uint8Array,
  filename: string,
  headers: Record<string, string> = {},
): Promise<Published> {
  const options = form([{ name: 'file', filename, content }], { headers });
  return await jsonOf<Published>(await perch.request('/api/files', { method: 'POST', ...options }), 201);
}

const galleryPage = async (client: Client = perch.last): Promise<string> =>
  await (await client.request('/gallery', { query: { size: 100 } })).text();

/** The card of an item in the gallery; empty when there is none. */
async function cardOf({ id }: Address, client?: Client): Promise<string> {
  const cards = (await galleryPage(client)).split('<li class="card">');
  return cards.find((card) => card.includes(`href="/public/${id}"`)) ?? '';
}

const addressIn = (card: string): string | null => /<img src="([^"]+)"/.exec(card)?.[1] ?? null;

async function pictureOf(item: Address): Promise<string> {
  for (let attempt = 0; attempt < 800; attempt++) {
    const address = addressIn(await cardOf(item));
    if (address !== null) return address;
    await Bun.sleep(50);
  }
  throw new Error(`no picture of ${item.id}`);
}

async function expectPicture(address: string): Promise<void> {
  for (const client of perch.clients) {
    const response = await client.request(address);
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'image/webp']);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=3600');
    const bytes = await response.bytes();
    expect(bytes.length).toBeWithin(30, 2_401);
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp' });
  }
}

async function expectNone(address: string): Promise<void> {
  for (const client of perch.clients) {
    const response = await client.request(address);
    expect([response.status, response.headers.get('Location')?.startsWith('/assets/no-picture')]).toEqual([
      302,
      true,
    ]);
  }
}

test('images and pages have a picture in the gallery, other items one of their kind', async () => {
  const photo = await upload(await image('jpeg'), 'photo.jpg');
  const page = await perch.publish('<h1>Hello</h1><p>Some words of this page that can be drawn.');
  const data = await jsonOf<Published>(
    await perch.request('/api/json', { method: 'POST', ...raw('{}', 'application/json') }),
    201,
  );
  const address = await pictureOf(photo);
  await expectPicture(address);
  await expectPicture(await pictureOf(page));
  expect(await cardOf(photo)).toMatch(/width="320" height="200" alt="" loading="lazy"/);
  expect(await cardOf(data)).toContain('card-kind kind-json');
  // Of another item, or with another signature, or cut off.
  await expectNone(address.replace(photo.id, page.id));
  await expectNone(address.replace(/.\.webp$/, (end) => (end.startsWith('A') ? 'B.webp' : 'A.webp')));
  await expectNone(address.slice(0, -6));
  expect((await perch.request(address)).headers.get('X-Views')).toBe(null);
  const nameless = await perch.request(address, { headers: { 'User-Agent': ' ' } });
  await expectError(nameless, 400, 'USER_AGENT_REQUIRED');
});

test('a picture goes with its item, with its content, and as long as the operator hides it', async () => {
  const photo = await upload(await image('png'), 'photo.png');
  const first = await pictureOf(photo);
  const admin = { method: 'POST', headers: ADMIN };
  await perch.request(`/api/admin/items/public/${photo.id}/hide`, admin);
  await expectNone(first);
  await perch.request(`/api/admin/items/public/${photo.id}/show`, admin);
  const second = await pictureOf(photo);
  expect(second).not.toBe(first);
  await expectPicture(second);
  await perch.request(`/api/public/${photo.id}`, { method: 'DELETE', ...ownedBy(photo) });
  await expectNone(second);

  const page = await perch.publish('<p>The first text of this page.');
  const before = await pictureOf(page);
  await perch.api(page, { method: 'PUT', ...raw('<p>Another text.', 'text/html', ownedBy(page)) });
  await expectNone(before);
  expect(await pictureOf(page)).not.toBe(before);
});

test('hostile images have none, and keep nobody else from getting theirs', async () => {
  const whole = await image('jpeg');
  const broken = await upload(whole.subarray(0, Math.floor(whole.length / 2)), 'broken.jpg').catch(
    () => null,
  );
  const bomb = Buffer.from(await image('png', 10, 10));
  // Its head claims 30,000 by 30,000 pixels.
  bomb.writeUInt32BE(30_000, 16);
  bomb.writeUInt32BE(30_000, 20);
  const large = await upload(bomb, 'large.png').catch(() => null);
  const locked = await upload(await image('png'), 'locked.png', { 'X-Password': 'secret' });
  const moving = await upload(
    await sharp(await image('png', 400, 300))
      .gif()
      .toBuffer(),
    'moving.gif',
  );
  await expectPicture(await pictureOf(moving));
  for (const item of [broken, large])
    if (item !== null) expect(await cardOf(item)).toContain('card-kind kind-file');
  expect(await cardOf(locked)).toBe('');
});
