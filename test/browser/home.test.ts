import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Instance, startInstance } from '../instance.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';
import { publish } from './publish.ts';

const visit = useBrowser();
let perch: Instance;

beforeAll(async () => {
  perch = await startInstance({ mode: 'embedded' });
}, START_LIMIT_MS);
afterAll(() => perch.stop(), START_LIMIT_MS);

test('a person publishes a page with the form and opens it', async () => {
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/`);
  await page.fill('#content', '# Published by hand\n\nWith **bold** text.');
  await page.fill('#title', 'By hand');
  await page.selectOption('#format', 'MARKDOWN');
  await page.selectOption('#ttl', '7');
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector('#publish-result:not([hidden])');
  expect(await inPage<string>(page, 'document.activeElement.id')).toBe('publish-result');

  const token = (await page.textContent('#result-token')) ?? '';
  const address = (await page.getAttribute('#result-url', 'href')) ?? '';
  const short = (await page.getAttribute('#result-short-url', 'href')) ?? '';
  expect(token).toMatch(/^own_/);
  await page.goto(short);
  expect(page.url()).toBe(address);
  expect(await page.textContent('h1')).toContain('Published by hand');
  expect(await page.title()).toContain('By hand');
  expect(await page.textContent('strong')).toBe('bold');
  expect(complaints).toEqual([]);

  const settings = await fetch(`${perch.url}/api/html${new URL(address).pathname}/settings`, {
    headers: { 'X-Owner-Token': token, 'User-Agent': 'PerchTests/1' },
  });
  expect(await settings.json()).toMatchObject({ title: 'By hand', ttlDays: 7, format: 'MARKDOWN' });
});

test('the form says what is wrong, and can be sent again', async () => {
  const { page } = await visit();
  await page.goto(`${perch.url}/`);
  await page.click('#publish-form button[type=submit]');
  expect(await inPage<boolean>(page, "document.getElementById('content').validity.valueMissing")).toBe(true);

  await page.fill('#content', '   ');
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector('#publish-error:not([hidden])');
  expect(await page.textContent('#publish-error')).toContain('empty');
  expect(await page.locator('#publish-result').isVisible()).toBe(false);

  await page.fill('#content', 'something');
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector('#publish-result:not([hidden])');
  expect(await page.locator('#publish-error').isVisible()).toBe(false);
});

/** What assistive technology needs of a page at the least; returns what is missing. */
const accessibilityFaults = (page: Page): Promise<string[]> =>
  inPage(
    page,
    `(() => {
      const faults = [];
      const all = (selector) => [...document.querySelectorAll(selector)];
      const named = (e) => (e.textContent.trim() || e.getAttribute('aria-label') || e.querySelector('img[alt]:not([alt=""])'));
      if (!document.documentElement.lang) faults.push('no language');
      if (!document.title.trim()) faults.push('no title');
      if (all('main').length !== 1) faults.push('not one main');
      if (all('h1').length !== 1) faults.push('not one h1');
      let level = 0;
      for (const heading of all('h1,h2,h3,h4')) {
        const own = Number(heading.tagName[1]);
        if (own > level + 1) faults.push('heading skips a level: ' + heading.textContent);
        level = own;
      }
      for (const field of all('input:not([type=hidden]),select,textarea'))
        if (!field.labels.length) faults.push('no label: ' + field.id);
      for (const image of all('img')) if (!image.hasAttribute('alt')) faults.push('no alt: ' + image.src);
      for (const element of all('a[href],button')) if (!named(element) && !element.closest('[hidden]')) faults.push('no name: ' + element.outerHTML);
      const ids = all('[id]').map((e) => e.id);
      for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push('id twice: ' + id);
      for (const element of all('[aria-labelledby],[aria-describedby]'))
        for (const id of (element.getAttribute('aria-labelledby') ?? element.getAttribute('aria-describedby')).split(' '))
          if (!document.getElementById(id)) faults.push('points nowhere: ' + id);
      if (document.documentElement.scrollWidth > innerWidth) faults.push('scrolls sideways');
      return faults;
    })()`,
  );

test("the service's own pages are sound, on a desk and on a phone, and their console is quiet", async () => {
  const locked = await publish(perch.url, '<p>x', { password: 'secret' });
  const sizes = [
    { width: 1280, height: 800 },
    { width: 360, height: 700 },
  ];
  for (const viewport of sizes) {
    const { page, complaints } = await visit({ viewport });
    for (const path of ['/', locked.path, '/public/nothing-here', '/s/nothing']) {
      await page.goto(perch.url + path);
      expect([path, ...(await accessibilityFaults(page))]).toEqual([path]);
    }
    // Chromium itself notes the status of a page that is an error.
    expect(complaints.filter((text) => !/status of (403|404)/.test(text))).toEqual([]);
  }
});

test('a rendered page is sound as well', async () => {
  const text =
    '# Title\n\nText with a [link](https://example.com).\n\n## Part\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [ ] open\n- [x] done\n\n```js\nconst long = "'.concat(
      'x'.repeat(300),
      '";\n```\n\nA note[^1].\n\n[^1]: The note.\n',
    );
  const item = await publish(perch.url, text, { type: 'text/markdown' });
  for (const width of [1280, 390]) {
    const { page, complaints } = await visit({ viewport: { width, height: 800 } });
    await page.goto(item.url);
    expect((await accessibilityFaults(page)).filter((fault) => !fault.startsWith('no label'))).toEqual([]);
    expect(complaints).toEqual([]);
  }
});
