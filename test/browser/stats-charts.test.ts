import { expect, test } from 'bun:test';
import { startInstance } from '../instance.ts';
import { useRunning } from '../started.ts';
import { accessibilityFaults } from './accessibility.ts';
import { inPage, useBrowser } from './browser.ts';
import { publish } from './publish.ts';

const visit = useBrowser();
const perch = useRunning(() => startInstance({ mode: 'embedded', joined: true }));

const WIDE = { viewport: { width: 1280, height: 800 } } as const;
const PHONE = { viewport: { width: 360, height: 740 } } as const;

/** Whether something is drawn into each canvas: a pixel that is neither transparent nor grey. */
const COLOURED = `[...document.querySelectorAll('canvas')].map((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && Math.max(data[at], data[at + 1], data[at + 2]) - Math.min(data[at], data[at + 1], data[at + 2]) > 60)
      return true;
  return false;
})`;

test('what happened over time stands in charts and in a table, in both schemes and on a phone', async () => {
  await publish(perch.url, '<p>one');
  await publish(perch.url, '<p>two');
  for (const device of [WIDE, PHONE])
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, complaints } = await visit({ ...device, colorScheme });
      await page.goto(`${perch.url}/stats`);
      await page.waitForSelector('[data-chart=kinds] canvas');
      expect(await inPage<boolean[]>(page, COLOURED)).toEqual([true, false, true, true]);
      expect(await page.getAttribute('[data-chart=created]', 'aria-label')).toContain('at most 2');
      // `accessibilityFaults` looks at both schemes by itself.
      if (colorScheme === 'light') expect(await accessibilityFaults(page)).toEqual([]);
      await page.click('.history summary');
      expect(await page.textContent('#history tbody tr:last-child td')).toBe('2');
      if (colorScheme === 'light') expect(await accessibilityFaults(page)).toEqual([]);
      expect(await inPage<number>(page, 'document.documentElement.scrollWidth')).toBe(device.viewport.width);
      await page.click('.ranges a[href*="30d"]');
      await page.waitForURL(/range=30d/);
      expect(await page.locator('#history tbody tr').count()).toBe(30);
      expect(await page.textContent('.ranges [aria-current]')).toBe('30 days');
      expect(complaints).toEqual([]);
    }
});

test('without scripts the table tells all', async () => {
  const { page } = await visit({ javaScriptEnabled: false, locale: 'de-DE' });
  await page.goto(`${perch.url}/stats?range=7d`);
  expect(await page.isVisible('.charts')).toBe(false);
  await page.click('.history summary');
  expect(await page.locator('#history tbody tr').count()).toBe(28);
  expect(await page.textContent('#history tbody tr:last-child td')).toBe('2');
  expect(await page.textContent('#history thead')).toContain('Veröffentlicht');
});

test('an owner sees when an item was viewed, and where its readers came from', async () => {
  const item = await publish(perch.url, '<p>viewed');
  const read = (headers: Record<string, string> = {}) =>
    fetch(item.url, { headers: { 'User-Agent': 'PerchTests/1', ...headers } });
  for (let n = 0; n < 3; n++) await read({ Referer: 'https://news.example/front?page=1' });
  await read();
  const counted = async () => {
    const response = await fetch(`${perch.url}/api${item.path}/stats`, {
      headers: { 'User-Agent': 'PerchTests/1', 'X-Owner-Token': item.ownerToken },
    });
    return ((await response.json()) as { days: Array<{ views: number }> }).days.at(-1)?.views;
  };
  for (let attempt = 0; (await counted()) !== 4 && attempt < 600; attempt++) await Bun.sleep(50);

  const { page, complaints } = await visit(PHONE);
  await page.goto(`${perch.url}/manage${item.path}#k=${item.ownerToken}`);
  await page.click('.owned-history > summary');
  await page.waitForSelector('[data-chart=days] canvas');
  expect(await inPage<boolean[]>(page, COLOURED)).toEqual([true, true]);
  expect(await page.textContent('[data-sum=hours]')).toBe('4');
  expect(await page.locator('.referers li').allTextContents()).toEqual([
    'news.example3',
    'Directly, or not told1',
  ]);
  await page.click('.owned-readers summary');
  expect(await page.textContent('.owned-readers tbody td')).toBe('4');
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await inPage<number>(page, 'document.documentElement.scrollWidth')).toBe(PHONE.viewport.width);
  expect(complaints).toEqual([]);
});

/** Whether something is drawn among the names of the hours, in the last pixels of each line. */
const isNamed = (pixels: string): string => `(() => {
  const canvas = document.querySelector('[data-chart=hours] canvas');
  const pixels = ${pixels};
  const { data } = canvas.getContext('2d').getImageData(canvas.width - pixels, canvas.height - 20, pixels, 20);
  return data.some((value, at) => at % 4 === 3 && value > 0);
})()`;

test('the name of the last hour is whole, whatever the hour', async () => {
  const item = await publish(perch.url, '<p>at noon');
  for (const width of [320, 390, 430, 1280]) {
    const { page } = await visit({ viewport: { width, height: 740 } });
    // The last hour is named only where the axis has a mark at it, as at noon.
    await page.route('**/stats*', async (route) => {
      const response = await route.fetch();
      const stats = (await response.json()) as { hours: Array<{ at: string; views: number }> };
      const last = Date.parse(stats.hours.at(-1)?.at ?? '');
      const later = Math.ceil(last / 86_400_000) * 86_400_000 + 43_200_000 - last;
      const hours = stats.hours.map(({ at, views }) => ({
        at: new Date(Date.parse(at) + later).toISOString(),
        views,
      }));
      await route.fulfill({ response, json: { ...stats, hours } });
    });
    await page.goto(`${perch.url}/manage${item.path}#k=${item.ownerToken}`);
    await page.click('.owned-history > summary');
    await page.waitForSelector('[data-chart=hours] canvas');
    await page.waitForFunction(isNamed('canvas.width'));
    expect([width, await inPage<boolean>(page, isNamed('2'))]).toEqual([width, false]);
  }
});
