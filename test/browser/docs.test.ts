import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { atDepth } from '../depth.ts';
import { sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { faintTexts } from './accessibility.ts';
import { inPage, useBrowser } from './browser.ts';
import { openOperation } from './docs-page.ts';

const visit = useBrowser();
const perch = useStarted(() => sharedInstance('embedded'));

/** The hosts that a page asks for anything. */
function hostsOf(page: Page): Set<string> {
  const hosts = new Set<string>();
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:') hosts.add(host);
  });
  return hosts;
}

/** One operation of each method, which is in colours of its own. */
const OTHERS = ['Pages-readPage', 'Sites-replaceSite', 'KV-removeStore', 'Admin-reviewReport'];

const isDark = (page: Page): Promise<boolean> =>
  inPage(page, "document.documentElement.classList.contains('dark-mode')");

for (const width of atDepth([1280, 390], [1280])) {
  test(`is shown at ${width} pixels, readable in light and dark, with nothing from elsewhere`, async () => {
    const { page, complaints } = await visit({ viewport: { width, height: 800 }, colorScheme: 'light' });
    const hosts = hostsOf(page);
    await page.goto(`${perch.url}/docs`);
    await page.waitForSelector('.opblock');
    expect(await page.title()).toBe('API · Perch');
    expect(await page.textContent('.info .title')).toContain('Perch');
    expect(await page.locator('.opblock').count()).toBeGreaterThan(30);
    await openOperation(page, 'Pages-publishPage');
    await openOperation(page, 'Service-readHealth');
    expect(await inPage<boolean>(page, 'document.documentElement.scrollWidth > innerWidth')).toBe(false);
    expect([...hosts]).toEqual([new URL(perch.url).host]);
    expect(complaints).toEqual([]);
    // On a phone the colours are the same. To look at all of them takes half a minute.
    if (width < 1280 || !atDepth(true, false)) return;
    for (const operation of OTHERS) await openOperation(page, operation);
    expect(await isDark(page)).toBe(false);
    expect(await faintTexts(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForSelector('html.dark-mode');
    // Some colours fade over, and within them those they are inherited by.
    await inPage(
      page,
      `(async () => {
        for (let fading; (fading = document.getAnimations()).length > 0; )
          await Promise.allSettled(fading.map(({ finished }) => finished));
      })()`,
    );
    expect(await faintTexts(page)).toEqual([]);
  });
}

test('begins with the colours of the system', async () => {
  const { page } = await visit({ colorScheme: 'dark' });
  await page.goto(`${perch.url}/docs`);
  expect(await isDark(page)).toBe(true);
});

test('an operation that is only read names the values of its parameters', async () => {
  const { page } = await visit();
  await page.goto(`${perch.url}/docs`);
  await page.waitForSelector('.opblock');
  const block = await openOperation(page, 'Pages-publishPage');
  await page.click(`${block} .try-out__btn.cancel`);
  expect(await page.textContent(`${block} [data-param-name=format] .parameter__enum`)).toBe(
    'Available values : html, markdown, md, text',
  );
});

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
