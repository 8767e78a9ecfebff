import { beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';

const visit = useBrowser();
let perch: Instance;

beforeAll(async () => {
  perch = await sharedInstance('embedded');
}, START_LIMIT_MS);

/** The hosts that a page asks for anything. */
function hostsOf(page: Page): Set<string> {
  const hosts = new Set<string>();
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:') hosts.add(host);
  });
  return hosts;
}

const openOperation = async (page: Page, operation: string): Promise<string> => {
  const block = `#operations-${operation}`;
  await page.click(`${block} .opblock-summary-control`);
  await page.waitForSelector(`${block} .opblock-body .execute`);
  return block;
};

for (const viewport of [
  { width: 1280, height: 800 },
  { width: 390, height: 800 },
]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`is shown at ${viewport.width} pixels, ${colorScheme}, with nothing from elsewhere`, async () => {
      const { page, complaints } = await visit({ viewport, colorScheme });
      const hosts = hostsOf(page);
      await page.goto(`${perch.url}/docs`);
      await page.waitForSelector('.opblock');
      expect(await page.title()).toBe('API · Perch');
      expect(await page.textContent('.info .title')).toContain('Perch');
      expect(await page.locator('.opblock').count()).toBeGreaterThan(30);
      await openOperation(page, 'Pages-publishPage');
      await openOperation(page, 'Service-readHealth');
      expect(await inPage<boolean>(page, 'document.documentElement.scrollWidth > innerWidth')).toBe(false);
      const dark = await inPage<boolean>(page, "document.documentElement.classList.contains('dark-mode')");
      expect(dark).toBe(colorScheme === 'dark');
      expect([...hosts]).toEqual([new URL(perch.url).host]);
      expect(complaints).toEqual([]);
    });
  }
}

test('a page is published by trying it out', async () => {
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/docs`);
  await page.waitForSelector('.opblock');
  const block = await openOperation(page, 'Pages-publishPage');
  await page.fill(`${block} textarea.body-param__text`, JSON.stringify({ content: '<h1>Tried</h1>' }));
  await page.click(`${block} .execute`);
  await page.waitForSelector(`${block} .live-responses-table .response-col_status`);
  expect(await page.textContent(`${block} .live-responses-table .response .response-col_status`)).toStartWith(
    '201',
  );
  const answer = (await page.textContent(`${block} .live-responses-table .microlight`)) ?? '';
  const { url, hasPassword, tags, title } = JSON.parse(answer) as Record<string, unknown>;
  expect({ hasPassword, tags, title }).toMatchObject({ hasPassword: false, tags: [] });
  await page.goto(String(url));
  expect(await page.textContent('h1')).toBe('Tried');
  expect(complaints).toEqual([]);
});

test('an address names an operation', async () => {
  const { page } = await visit();
  await page.goto(`${perch.url}/docs#/KV/writeKey`);
  await page.waitForSelector('#operations-KV-writeKey .opblock-body');
});
