import { beforeAll, expect, test } from 'bun:test';
import { strToU8, zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';
import { faintTexts } from './contrast.ts';

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

/** Of each method one, which is in colours of its own. */
const OTHERS = ['Pages-readPage', 'Sites-replaceSite', 'KV-removeStore', 'Admin-reviewReport'];

const isDark = (page: Page): Promise<boolean> =>
  inPage(page, "document.documentElement.classList.contains('dark-mode')");

for (const width of [1280, 390]) {
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
    // On a phone the colours are the same.
    if (width < 1280) return;
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

/** Carries out an open operation, and returns what is shown of its answer. */
async function execute(page: Page, block: string): Promise<{ status: string; body: string }> {
  await page.click(`${block} .execute`);
  const answer = `${block} .live-responses-table .response`;
  await page.waitForSelector(`${answer} .microlight`);
  const status = (await page.textContent(`${answer} .response-col_status`)) ?? '';
  return { status: status.slice(0, 3), body: (await page.textContent(`${answer} .microlight`)) ?? '' };
}

const siteZip = (title: string) => ({
  ...{ name: 'site.zip', mimeType: 'application/zip' },
  buffer: Buffer.from(zipSync({ 'index.html': strToU8(`<title>${title}</title>`) })),
});

test('a file is published by choosing it, with nothing else filled in', async () => {
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/docs`);
  const block = await openOperation(page, 'Files-uploadFile');
  const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('seeds') };
  await page.setInputFiles(`${block} input[type=file]`, file);
  const { status, body } = await execute(page, block);
  expect([status, JSON.parse(body)]).toMatchObject([
    '201',
    { namespace: 'public', title: 'notes.txt', tags: [], ttlDays: 15, hasPassword: false },
  ]);
  expect(complaints).toEqual([]);
});

test('a site is published as a ZIP, with what is filled in, and replaced', async () => {
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/docs`);
  const create = await openOperation(page, 'Sites-publishSite');
  await page.setInputFiles(`${create} input[type=file] >> nth=0`, siteZip('First'));
  await page.fill(`${create} input[placeholder=tags]`, 'garden');
  const created = await execute(page, create);
  const { id, url, ownerToken, ...site } = JSON.parse(created.body) as Record<string, unknown>;
  expect([created.status, site]).toMatchObject(['201', { title: 'First', tags: ['garden'], fileCount: 1 }]);

  const replace = await openOperation(page, 'Sites-replaceSite');
  await page.fill(`${replace} input[placeholder=ns]`, 'public');
  await page.fill(`${replace} input[placeholder=id]`, String(id));
  await page.fill(`${replace} input[placeholder=X-Owner-Token]`, String(ownerToken));
  await page.setInputFiles(`${replace} input[type=file] >> nth=0`, siteZip('Second'));
  expect((await execute(page, replace)).status).toBe('200');
  await page.goto(String(url));
  expect(await page.title()).toBe('Second');
  expect(complaints).toEqual([]);
});

test('an address names an operation, and the field that filters them has a name', async () => {
  const { page } = await visit();
  await page.goto(`${perch.url}/docs#/KV/writeKey`);
  await page.waitForSelector('#operations-KV-writeKey .opblock-body');
  const field = page.getByRole('textbox', { name: 'Filter by tag or path', exact: true });
  await field.fill('Sites');
  await page.waitForSelector('#operations-tag-Pages', { state: 'detached' });
});
