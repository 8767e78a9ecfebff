import { expect, test } from 'bun:test';
import sharp from 'sharp';
import { startInstance } from '../instance.ts';
import { useRunning } from '../started.ts';
import { accessibilityFaults } from './accessibility.ts';
import { inPage, useBrowser } from './browser.ts';
import { publish } from './publish.ts';

const visit = useBrowser();
const perch = useRunning(() =>
  startInstance({
    mode: 'embedded',
    joined: true,
    env: { LIMIT_UPLOADS_PER_HOUR: '1000', LIMIT_READS_PER_MINUTE: '10000' },
  }),
);

const ITEMS = 100;
const agent = { 'User-Agent': 'PerchTests/1' };

/** A picture with much in it: waves and noise. */
async function photograph(seed: number): Promise<Buffer> {
  const [width, height] = [900, 600];
  const pixels = Buffer.alloc(width * height * 3);
  const across = Array.from(
    { length: width * 3 },
    (_, at) => 60 * Math.sin((Math.floor(at / 3) * (1 + (at % 3)) + seed * 40) / 60),
  );
  // A row's length is no multiple of 4,093, so each row gets other noise.
  const noise = Array.from({ length: 4_093 }, () => Math.random() * 20);
  for (let y = 0; y < height; y++) {
    const brightness = 120 + 50 * Math.cos((y + seed * 9) / 45);
    for (const [x, wave] of across.entries()) {
      const at = y * across.length + x;
      pixels[at] = brightness + wave + (noise[at % noise.length] ?? 0);
    }
  }
  return await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 80 })
    .toBuffer();
}

async function publishAll(): Promise<void> {
  for (let n = 0; n < ITEMS; n++) {
    if (n % 4 === 3) {
      await publish(
        perch.url,
        `<title>Page ${n}</title><p>The words of page ${n}, of which its picture shows the beginning.`,
        {
          query: { tags: n % 8 === 3 ? 'launch' : 'notes' },
        },
      );
      continue;
    }
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(await photograph(n))]), `photo-${n}.jpg`);
    const response = await fetch(`${perch.url}/api/files`, { method: 'POST', headers: agent, body });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  }
}

const picturesOf = async (): Promise<number> => {
  const page = await (await fetch(`${perch.url}/gallery?size=${ITEMS}`, { headers: agent })).text();
  return page.split('loading="lazy"').length - 1;
};

/** Bytes of everything that the page has loaded, itself included, as they travelled; and by how much its parts moved. */
const LOADED = `new Promise((resolve) => {
  let shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  const bytes = loaded.reduce((sum, { transferSize }) => sum + transferSize, 0);
  const pictures = loaded.filter(({ name }) => name.includes('/gallery/pictures/')).length;
  setTimeout(() => resolve({ shift, bytes, pictures }), 200);
})`;

interface Loaded {
  shift: number;
  bytes: number;
  pictures: number;
}

test('a page of a hundred pictures loads under 300 KB in all, and nothing in it moves', async () => {
  await publishAll();
  for (let attempt = 0; (await picturesOf()) < ITEMS && attempt < 1_000; attempt++) await Bun.sleep(100);
  expect(await picturesOf()).toBe(ITEMS);

  const { page, complaints } = await visit({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${perch.url}/gallery?size=${ITEMS}`, { waitUntil: 'networkidle' });
  for (let at = 0; at < 30; at++) {
    await page.mouse.wheel(0, 600);
    await Bun.sleep(30);
  }
  await page.waitForLoadState('networkidle');
  const all = await inPage<Loaded>(page, LOADED);
  expect(all.pictures).toBe(ITEMS);
  expect(all.bytes).toBeWithin(20_000, 300_000);
  expect(all.shift).toBeLessThan(0.1);
  expect(await inPage<boolean>(page, '[...document.images].every((image) => image.naturalWidth > 0)')).toBe(
    true,
  );
  expect(complaints).toEqual([]);
});

test('cards with pictures are sound in both schemes, wide and on a phone', async () => {
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 360, height: 740 },
  ])
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, complaints } = await visit({ viewport, colorScheme });
      await page.goto(`${perch.url}/gallery`, { waitUntil: 'networkidle' });
      expect(await page.locator('.card').count()).toBe(24);
      // `accessibilityFaults` looks at both schemes by itself.
      if (colorScheme === 'light') expect(await accessibilityFaults(page)).toEqual([]);
      expect(await inPage<number>(page, 'document.documentElement.scrollWidth')).toBe(viewport.width);
      expect(complaints).toEqual([]);
    }
});

test('a tag, a kind and an order are chosen by keyboard, with as many cards as before', async () => {
  const { page } = await visit({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${perch.url}/gallery?size=50`);
  await page.focus('.card .tags a');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.filter');
  expect(new URL(page.url()).searchParams.get('size')).toBe('50');
  await page.focus('#kind-all');
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/kind=html/);
  expect(new URL(page.url()).searchParams.get('size')).toBe('50');
  await page.selectOption('#sort', 'views');
  await page.waitForURL(/sort=views/);
  expect(await page.locator('.card .kind-html').count()).toBeGreaterThan(0);
});

test('without scripts pictures, filters and pages work', async () => {
  const { page } = await visit({ javaScriptEnabled: false });
  await page.goto(`${perch.url}/gallery`);
  await page.click('label[for=kind-file]');
  await page.click('#gallery-form button');
  expect(new URL(page.url()).searchParams.get('kind')).toBe('file');
  await page.waitForLoadState('domcontentloaded');
  expect(await page.locator('.card img').count()).toBe(24);
  await page.click('.pages a[rel=next]');
  expect(new URL(page.url()).searchParams.get('page')).toBe('2');
});
