import { expect, test } from 'bun:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { drawPage } from '../../services/content/pictures/make-picture.ts';
import { PICTURE_BYTES, shrink } from '../../services/content/pictures/shrink.ts';

// Loaded first, so that what it shuts off is shut off for the images made here as well: they are made of raw pixels.
await shrink(new Uint8Array());

const raw = { width: 1_200, height: 900, channels: 3 } as const;

/** Pixels without any order, which no format makes small. */
const noise = (): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).subarray();

const pixels = (): Buffer => {
  const bytes = Buffer.alloc(raw.width * raw.height * 3);
  for (let at = 0; at < bytes.length; at++) bytes[at] = 127 + 100 * Math.sin(at / 3_000);
  return bytes;
};

const encoded = (format: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif'): Promise<Buffer> =>
  sharp(pixels(), { raw }).toFormat(format).toBuffer();

test.each(['jpeg', 'png', 'webp', 'gif', 'avif'] as const)(
  'a large %s becomes a small WebP',
  async (format) => {
    const picture = await shrink(await encoded(format));
    expect(picture).toMatchObject({ width: 320, height: 200 });
    expect(picture?.bytes.length).toBeWithin(50, PICTURE_BYTES + 1);
    expect(new TextDecoder().decode(picture?.bytes.subarray(8, 12))).toBe('WEBP');
  },
);

test('an image that no format makes small is shrunk until it fits', async () => {
  const random = Buffer.concat(Array.from({ length: 54 }, noise));
  const image = await sharp(random, { raw }).jpeg({ quality: 80 }).toBuffer();
  const picture = await shrink(image);
  expect(picture?.bytes.length).toBeLessThanOrEqual(PICTURE_BYTES);
});

test('a small one is not blown up', async () => {
  const icon = await sharp(noise(), { raw: { width: 16, height: 16, channels: 4 } })
    .png()
    .toBuffer();
  expect(await shrink(icon)).toMatchObject({ width: 16, height: 16 });
});

test('a photograph is turned as its camera was held', async () => {
  const tall = await sharp(pixels(), { raw })
    .resize(100, 50)
    .jpeg()
    .withMetadata({ orientation: 6 })
    .toBuffer();
  expect(await shrink(tall)).toMatchObject({ width: 50, height: 100 });
});

/** A PNG that says it is so large, with as many bytes as suit a tester. */
function claiming(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0], 8);
  const data = deflateSync(Buffer.alloc(1_000_000), { level: 9 });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

test.each([
  ['nothing', async () => Buffer.alloc(0)],
  ['a JPEG that is cut off', async () => (await encoded('jpeg')).subarray(0, 3_000)],
  ['a PNG that is cut off', async () => (await encoded('png')).subarray(0, 500)],
  ['900 million pixels', async () => claiming(30_000, 30_000)],
  ['a PNG with too few pixels', async () => claiming(5_000, 5_000)],
  ['text', async () => Buffer.from('<html>no image')],
  ['an SVG', async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
])('%s is no picture', async (_, make) => {
  expect(await shrink(await make())).toBe(null);
});

/** An image of one colour, which hardly has a byte for a thousand pixels. */
const plain = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 10, g: 200, b: 30, alpha: 0.5 } } });

/** The picture's bytes, or null, and the most memory that a process of its own had at a time, in kB. */
async function shrunkApart(image: Buffer): Promise<{ bytes: number | null; peakKb: number }> {
  const script = `
    const { shrink } = await import(${JSON.stringify(import.meta.resolve('../../services/content/pictures/shrink.ts'))});
    const picture = await shrink(await Bun.stdin.bytes(), 60);
    const [, peak] = (await Bun.file('/proc/self/status').text()).match(/VmHWM:\\s*(\\d+)/);
    console.log(JSON.stringify({ bytes: picture?.bytes.length ?? null, peakKb: Number(peak) }));`;
  const child = Bun.spawn([process.execPath, '-e', script], {
    stdin: image,
    stdout: 'pipe',
    stderr: 'inherit',
  });
  return (await new Response(child.stdout).json()) as { bytes: number | null; peakKb: number };
}

test.each([
  ['at the bound', 4_000, 3_000, expect.any(Number)],
  ['above it', 4_000, 3_001, null],
  ['of twice as many pixels', 5_000, 5_000, null],
])('an AVIF %s takes less than 400 MB', async (_, width, height, bytes) => {
  const image = await plain(width, height, 4).avif({ effort: 0, chromaSubsampling: '4:4:4' }).toBuffer();
  expect(image.length).toBeLessThan(3_000);
  const shrunk = await shrunkApart(image);
  expect(shrunk.bytes).toEqual(bytes);
  expect(shrunk.peakKb).toBeLessThan(400_000);
});

test.each([
  ['in several passes, at its bound', 5_000, 5_000, true, expect.any(Number)],
  ['in several passes, above it', 5_000, 5_001, true, null],
  ['in one pass', 5_000, 5_001, false, expect.any(Number)],
])('a PNG %s', async (_, width, height, progressive, bytes) => {
  const image = await plain(width, height).toColourspace('b-w').png({ progressive }).toBuffer();
  expect((await shrink(image, 60))?.bytes.length ?? null).toEqual(bytes);
});

test('the beginning of a page is drawn small enough, whatever it is', async () => {
  for (const text of [
    'Launch notes',
    'W'.repeat(200),
    'Ärger über Größe, ÅÉÎ, Привет мир, Γειά '.repeat(8),
  ]) {
    const picture = await drawPage(text);
    expect(picture?.bytes.length).toBeWithin(50, PICTURE_BYTES + 1);
  }
  for (const text of ['', '   ', '日本語だけ', '🚀🚀']) expect(await drawPage(text)).toBe(null);
});
