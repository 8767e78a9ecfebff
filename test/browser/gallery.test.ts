import { beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';
import { publish } from './publish.ts';
import { createStore } from './uploads.ts';

const visit = useBrowser();
let perch: Instance;

/** A word that no other item has: other files leave theirs in the gallery. */
const word = (): string => `w${crypto.randomUUID().replaceAll('-', '')}`;
const WORD = word();
const [SWIFT, SWALLOW] = [`${WORD} swift`, `${WORD} swallow`];
const MANY = `${word().toUpperCase()} many`;
const LONG = word();

beforeAll(async () => {
  perch = await sharedInstance('embedded');
  await publish(perch.url, '<p>a', { query: { title: SWIFT, tags: `${WORD}tag,birds` } });
  await publish(perch.url, '<p>b', { query: { title: SWALLOW, tags: 'birds' } });
  await createStore(perch.url, { a: 1 }, { query: { title: `${WORD} store` } });
  for (let n = 1; n <= 26; n++) await publish(perch.url, `<p>${n}`, { query: { title: `${MANY} ${n}` } });
}, START_LIMIT_MS);

const titles = (page: Page): Promise<string[]> =>
  inPage(page, "[...document.querySelectorAll('.card-link')].map((link) => link.textContent)");

/** Asks until the page says yes. The page's own policy keeps Playwright from waiting inside of it. */
async function until(page: Page, script: string): Promise<void> {
  while (!(await inPage<boolean>(page, script))) await page.waitForTimeout(20);
}

/** Waits until the page shows these items, in any order, and asks for no others. */
async function expectTitles(page: Page, expected: readonly string[]): Promise<void> {
  await until(page, "document.querySelector('[aria-busy]') === null");
  const wanted = expected.toSorted().join('\n');
  const shown =
    "[...document.querySelectorAll('.card-link')].map((link) => link.textContent).sort().join('\\n')";
  await until(page, `${shown} === ${JSON.stringify(wanted)}`);
}

const countOf = (page: Page): Promise<string | null> => page.textContent('#gallery-count');
const queryOf = (page: Page): string => new URL(page.url()).search;

test('finds items while somebody types, and the address follows', async () => {
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/gallery`);
  await page.locator('#q').pressSequentially(`${WORD} sw`);
  await expectTitles(page, [SWIFT, SWALLOW]);
  expect(await countOf(page)).toBe(`2 items match “${WORD} sw”`);
  expect(queryOf(page)).toBe(`?q=${WORD}+sw`);
  expect(await page.title()).toStartWith(`${WORD} sw`);
  expect(await inPage<string>(page, 'document.activeElement.id')).toBe('q');

  await page.locator('#q').pressSequentially('al');
  await expectTitles(page, [SWALLOW]);
  await page.fill('#q', `${WORD} nothing`);
  await page.waitForSelector('.gallery-empty');
  expect(await countOf(page)).toBe(`0 items match “${WORD} nothing”`);

  await page.reload();
  expect(await page.inputValue('#q')).toBe(`${WORD} nothing`);
  expect(await titles(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('kinds, order and tags narrow it down, and going back widens it again', async () => {
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/gallery?q=${WORD}`);
  await expectTitles(page, [SWIFT, SWALLOW, `${WORD} store`]);
  await page.click('label[for=kind-html]');
  await expectTitles(page, [SWIFT, SWALLOW]);
  await page.selectOption('#sort', 'views');
  await page.waitForURL(/sort=views/);
  await expectTitles(page, [SWIFT, SWALLOW]);
  await page.click(`.tags a:has-text("${WORD}tag")`);
  await expectTitles(page, [SWIFT]);
  expect(queryOf(page)).toBe(`?q=${WORD}&kind=html&tag=${WORD}tag&sort=views`);

  await page.fill('#q', `${WORD} sw`);
  await page.waitForURL(/q=\w+\+sw/);
  await expectTitles(page, [SWIFT]);
  expect(queryOf(page)).toContain(`tag=${WORD}tag`);
  await page.click('.filter');
  await expectTitles(page, [SWIFT, SWALLOW]);

  await page.goBack();
  await expectTitles(page, [SWIFT]);
  await page.goBack();
  await expectTitles(page, [SWIFT, SWALLOW]);
  expect(await page.inputValue('#q')).toBe(WORD);
  expect(await page.inputValue('#sort')).toBe('views');
  expect(await page.isChecked('#kind-html')).toBe(true);
  await page.goForward();
  await expectTitles(page, [SWIFT]);
  expect(complaints).toEqual([]);
});

test('pages are turned without loading the page anew, also with the keyboard alone', async () => {
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/gallery?q=${encodeURIComponent(MANY)}`);
  expect((await titles(page)).length).toBe(24);
  await inPage(page, "document.body.dataset.kept = 'yes'");
  await page.focus('.pages a');
  await page.keyboard.press('Enter');
  await page.waitForURL(/page=2/);
  await until(page, "document.querySelectorAll('.card-link').length === 2");
  await until(page, "document.activeElement.id === 'gallery-results'");
  expect(await page.textContent('.pages span:has-text("of")')).toBe('Page 2 of 2');
  expect(await page.getAttribute('body', 'data-kept')).toBe('yes');

  await page.keyboard.press('Tab');
  expect(await inPage<string>(page, 'document.activeElement.className')).toBe('card-link');
  const outline = "getComputedStyle(document.activeElement, '::after').outlineStyle";
  expect(await inPage<string>(page, outline)).toBe('solid');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/public\//);
  await page.goBack();
  await page.waitForSelector('.pages');
  expect(queryOf(page)).toContain('page=2');
  expect(complaints).toEqual([]);
});

test('only the last of several searches is shown, however late the others are answered', async () => {
  const { page } = await visit();
  await page.goto(`${perch.url}/gallery`);
  let slowAnswers = 0;
  await page.route(/\/gallery\?q=\w+\+store/, async (route) => {
    const response = await route.fetch();
    await page.waitForSelector(`.card-link:has-text("${SWALLOW}")`).catch(() => undefined);
    slowAnswers += 1;
    await route.fulfill({ response }).catch(() => undefined);
  });
  const asked = page.waitForRequest(/\+store/);
  await page.fill('#q', `${WORD} store`);
  await asked;
  await page.fill('#q', SWALLOW);
  await expectTitles(page, [SWALLOW]);
  while (slowAnswers === 0) await page.waitForTimeout(10);
  await page.unrouteAll({ behavior: 'wait' });
  expect(await titles(page)).toEqual([SWALLOW]);
});

test('a failure is said, what is shown stays, and it can be tried again', async () => {
  const { context, page } = await visit();
  await page.goto(`${perch.url}/gallery?q=${WORD}`);
  await context.setOffline(true);
  await page.fill('#q', SWIFT);
  await page.waitForSelector('#gallery-error:not([hidden])');
  expect(await page.textContent('#gallery-error p')).toContain('cannot be reached');
  expect((await titles(page)).length).toBe(3);
  await context.setOffline(false);
  await page.click('#gallery-error button');
  await expectTitles(page, [SWIFT]);
  expect(await page.locator('#gallery-error').isVisible()).toBe(false);

  const message = 'Too many reads from your address. Try again in 30 seconds.';
  await page.route(/\/gallery\?/, (route) => route.fulfill({ status: 429, json: { message } }));
  await page.fill('#q', SWALLOW);
  await page.waitForSelector('#gallery-error:not([hidden])');
  expect(await page.textContent('#gallery-error p')).toBe(message);
  await page.unrouteAll();
  await page.fill('#q', WORD);
  await expectTitles(page, [SWIFT, SWALLOW, `${WORD} store`]);
  expect(await page.locator('#gallery-error').isVisible()).toBe(false);
});

/** A click is over when the next page begins, which has no items yet. */
async function follow(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.click(selector)]);
}

test('works without scripts', async () => {
  const { page, complaints } = await visit({ javaScriptEnabled: false });
  await page.goto(`${perch.url}/gallery`);
  await page.fill('#q', WORD);
  await page.click('label[for=kind-html]');
  await page.selectOption('#sort', 'views');
  await follow(page, '#gallery-form button');
  expect(await page.locator('.card-link').allTextContents()).toEqual(
    expect.arrayContaining([SWIFT, SWALLOW]),
  );
  expect(await page.locator('.card').count()).toBe(2);
  await follow(page, `.tags a:has-text("${WORD}tag")`);
  expect(await page.locator('.card-link').allTextContents()).toEqual([SWIFT]);
  await follow(page, '.filter');
  expect(await page.locator('.card').count()).toBe(2);
  await page.goto(`${perch.url}/gallery?q=${encodeURIComponent(MANY)}`);
  await follow(page, '.pages a');
  expect(await page.locator('.card').count()).toBe(2);
  await follow(page, '.card-link >> nth=0');
  expect(page.url()).toContain('/public/');
  expect(complaints).toEqual([]);
});

test('fits every screen in light and dark, whatever the titles', async () => {
  const long = `${LONG} ${'x'.repeat(150)}`;
  await publish(perch.url, '<p>x', { query: { title: long, tags: 'y'.repeat(50) } });
  await publish(perch.url, '<p>x', { query: { title: `${LONG} שלום עולם`, tags: 'א,ב' } });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [320, 390, 1280, 1920]) {
      const { page, complaints } = await visit({ viewport: { width, height: 800 }, colorScheme });
      for (const query of [`?q=${LONG}`, `?q=${MANY}`, `?q=${'z'.repeat(200)}`, `?tag=${'y'.repeat(50)}`]) {
        await page.goto(`${perch.url}/gallery${query}`);
        const scrolled = await inPage<number>(page, 'document.documentElement.scrollWidth');
        expect([width, query.slice(0, 20), scrolled]).toEqual([width, query.slice(0, 20), width]);
      }
      const ink = await inPage<string>(page, 'getComputedStyle(document.body).color');
      expect(Number(/\d+/.exec(ink)?.[0]) > 128).toBe(colorScheme === 'dark');
      expect(complaints).toEqual([]);
    }
  }
});
