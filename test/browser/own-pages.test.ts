import { expect, test } from 'bun:test';
import { strToU8, zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { PNG_BASE64 } from '../../services/gateway/openapi/samples.ts';
import { atDepth } from '../depth.ts';
import { ADMIN_PASSWORD, sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { accessibilityFaults } from './accessibility.ts';
import { inPage, useBrowser } from './browser.ts';
import { KINDS, openForm } from './home-form.ts';
import { publish } from './publish.ts';
import { createStore, publishJson, uploadFile } from './uploads.ts';

const visit = useBrowser();
const perch = useStarted(() => sharedInstance('embedded'));

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 700 };

test("the service's own pages are sound, on a desk and on a phone, and their console is quiet", async () => {
  const locked = await publish(perch.url, '<p>x', { password: 'secret' });
  for (const viewport of atDepth([DESK, PHONE], [PHONE])) {
    const { page, complaints } = await visit({ viewport });
    for (const path of ['/', locked.path, '/public/nothing-here', '/s/nothing', '/mcp']) {
      await page.goto(perch.url + path);
      expect([path, ...(await accessibilityFaults(page))]).toEqual([path]);
    }
    for (const kind of [...KINDS, 'json', 'kv'] as const) {
      await openForm(page, perch.url, kind);
      expect([kind, ...(await accessibilityFaults(page))]).toEqual([kind]);
    }
    // Chromium itself notes the status of a page that is an error.
    expect(complaints.filter((text) => !/status of (403|404|405)/.test(text))).toEqual([]);
  }
});

test('every other page opens and runs its script without a complaint', async () => {
  const files = {
    'data.csv': 'a,b\n1,2\n',
    'code.py': 'print(1)\n',
    'text.md': '# Title\n',
    'data.json': '{"a":[1]}',
    'many.zip': zipSync({ 'a.txt': strToU8('a') }),
    'pixel.png': Buffer.from(PNG_BASE64, 'base64'),
  };
  const page = await publish(perch.url, '<h1>x</h1>');
  const items = [
    ...(await Promise.all(Object.entries(files).map(([name, text]) => uploadFile(perch.url, name, text)))),
    await publishJson(perch.url, '{"a":{"b":[1,2]}}'),
    await createStore(perch.url, { first: 1 }),
  ];
  const paths = [
    ...['/gallery', '/stats', '/mine', '/docs', '/report', '/admin', '/llms.txt'],
    ...[`/edit${page.path}`, `/manage${page.path}#k=${page.ownerToken}`, ...items.map(({ path }) => path)],
  ];
  const visitor = await visit();
  for (const path of paths) {
    const answer = await visitor.page.goto(perch.url + path, { waitUntil: 'networkidle' });
    // The console asks for the password first.
    expect([path, answer?.status()]).toEqual([path, path === '/admin' ? 401 : 200]);
    expect([path, ...visitor.complaints.filter((text) => !text.includes('status of 401'))]).toEqual([path]);
  }
});

test('only a command that can be copied leaves room for a button', async () => {
  const { page } = await visit({ viewport: PHONE });
  const isEven = async (path: string): Promise<boolean> => {
    await page.goto(perch.url + path);
    return await inPage(
      page,
      "(({ paddingTop, paddingBottom }) => paddingTop === paddingBottom)(getComputedStyle(document.querySelector('.command pre')))",
    );
  };
  expect(await isEven('/mcp')).toBe(true);
  expect(await isEven('/')).toBe(false);
});

test('a rendered page is sound as well', async () => {
  const text =
    '# Title\n\nText with a [link](https://example.com).\n\n## Part\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [ ] open\n- [x] done\n\n```js\nconst long = "'.concat(
      'x'.repeat(300),
      '";\n```\n\nA note[^1].\n\n[^1]: The note.\n',
    );
  const item = await publish(perch.url, text, { type: 'text/markdown' });
  for (const viewport of atDepth([DESK, PHONE], [PHONE])) {
    const { page, complaints } = await visit({ viewport });
    await page.goto(item.url);
    expect((await accessibilityFaults(page)).filter((fault) => !fault.startsWith('no label'))).toEqual([]);
    expect(complaints).toEqual([]);
  }
});
test('what is wrong with a report is said beside its fields', async () => {
  const { page } = await visit();
  await page.goto(`${perch.url}/report`);
  await page.fill('#reportedUrl', `${perch.url}/public/any`);
  await page.fill('#description', ' '.repeat(12));
  await inPage(page, "document.querySelector('form').noValidate = true");
  await page.click('main button[type=submit]');
  await page.waitForSelector('#category-fault');
  expect(await inPage<string>(page, 'document.activeElement.id')).toBe('category');
  expect(await page.getAttribute('#reportedUrl', 'aria-invalid')).toBe(null);
  expect(await page.getAttribute('#description', 'aria-invalid')).toBe('true');
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('another language does not send a form again', async () => {
  const item = await publish(perch.url, '<p>x');
  const { page } = await visit();
  await page.goto(`${perch.url}/report?item=${item.path.slice(1)}`);
  await page.selectOption('#category', 'phishing');
  await page.fill('#description', 'x'.repeat(10));
  await inPage(page, "document.querySelector('form').noValidate = true");
  await page.fill('#reportedUrl', 'no address');
  await page.click('main button[type=submit]');
  await page.waitForSelector('#reportedUrl-fault');
  expect(await page.locator('button[data-language]').count()).toBe(0);

  await page.fill('#reportedUrl', item.url);
  await page.click('main button[type=submit]');
  const number = await page.textContent('.facts code');
  await page.click('button[data-language=de]');
  await page.waitForSelector('html[lang=de]');
  expect(await page.textContent('.facts code')).toBe(number);
  const reports = await fetch(`${perch.url}/api/admin/reports?item=${item.path.slice(1)}`, {
    headers: { 'X-Admin-Password': ADMIN_PASSWORD, 'User-Agent': 'PerchTests/1' },
  });
  expect(reports.headers.get('X-Total-Count')).toBe('1');
});

/** How an element, or a part that its style adds, is told from others where a reader's own colours replace those of the page. */
const lookOf = (page: Page, selector: string, part: string | null = null): Promise<string[]> =>
  inPage(
    page,
    `(({ backgroundColor, outlineStyle, borderTopColor }) => [backgroundColor, outlineStyle, borderTopColor])(
      getComputedStyle(document.querySelector(${JSON.stringify(selector)}), ${JSON.stringify(part)}))`,
  );

test('what is chosen can be told where the colours are those of the reader', async () => {
  const item = await publishJson(perch.url, '{"a":{"b":1},"c":2}');
  await publish(perch.url, '<p>x', { query: { tags: 'chosen,other' } });
  const { page } = await visit({ forcedColors: 'active' });
  const pairs: Array<[path: string, chosen: string, other: string]> = [
    ['/', '.choices input:checked + label', '.choices input:not(:checked) + label'],
    ['/', '.editing-views [aria-pressed=true]', '.editing-views [aria-pressed=false]'],
    ['/gallery?tag=chosen', '.choices input:checked + label', '.choices input:not(:checked) + label'],
    ['/gallery?tag=chosen', '.tags a[aria-current]', '.tags a:not([aria-current])'],
    [item.path, '.json-line[aria-selected=true]', '.json-line:not([aria-selected=true])'],
  ];
  for (const [path, chosen, other] of pairs) {
    await page.goto(perch.url + path);
    await page.waitForSelector(chosen);
    expect([path, await lookOf(page, chosen)]).not.toEqual([path, await lookOf(page, other)]);
  }
  // A mark that can be opened is a triangle, of whose borders one is seen.
  const [, , top] = await lookOf(page, '.json-mark.can-open', '::before');
  expect(top).toBe('rgba(0, 0, 0, 0)');
});

/** How a page loaded: bytes of its scripts as they travelled, and by how much its parts moved meanwhile (layout shift). */
const LOADED = `new Promise((resolve) => {
  let shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  const scripts = performance.getEntriesByType('resource').filter(({ name }) => name.includes('.js'));
  const bytes = scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  setTimeout(() => resolve({ shift, bytes }), 200);
})`;

test('pages load little, and do not move while they do', async () => {
  const { page } = await visit({ viewport: PHONE });
  for (const path of ['/', '/mine', '/gallery', '/stats', '/report']) {
    await page.goto(perch.url + path, { waitUntil: 'networkidle' });
    const { shift, bytes } = await inPage<{ shift: number; bytes: number }>(page, LOADED);
    expect([path, bytes > 0, bytes < 100_000, shift < 0.1]).toEqual([path, true, true, true]);
  }
});
