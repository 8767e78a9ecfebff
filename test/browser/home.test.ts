import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import type { BrowserContext, Page } from 'playwright-core';
import { type Instance, startInstance } from '../instance.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';
import { publish } from './publish.ts';

const visit = useBrowser();
let perch: Instance;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'perch-home-'));
  perch = await startInstance({ mode: 'embedded' });
}, START_LIMIT_MS);
afterAll(async () => {
  await perch.stop();
  await rm(dir, { recursive: true, force: true });
}, START_LIMIT_MS);

/** What was published last. */
const RESULT = '#publish-results > article:first-child[aria-label="Published"]';

const resultHasFocus = (page: Page): Promise<boolean> =>
  inPage(page, `document.activeElement === document.querySelector('${RESULT}')`);

test('a person publishes a page with the form and opens it', async () => {
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/`);
  await page.fill('#content', '# Published by hand\n\nWith **bold** text.');
  await page.fill('#title', 'By hand');
  await page.selectOption('#format', 'MARKDOWN');
  await page.selectOption('#ttl', '7');
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector(RESULT);
  expect(await resultHasFocus(page)).toBe(true);

  const token = (await page.textContent(`${RESULT} .result-token`)) ?? '';
  const address = (await page.getAttribute(`${RESULT} .result-url`, 'href')) ?? '';
  const short = (await page.getAttribute(`${RESULT} .result-short-url`, 'href')) ?? '';
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
  expect(await page.textContent('#publish-error')).toStartWith('Content: is empty');
  expect(await page.locator(RESULT).count()).toBe(0);

  await page.fill('#content', 'something');
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector(RESULT);
  expect(await page.locator('#publish-error').isVisible()).toBe(false);
});

const KINDS = ['page', 'file', 'site'] as const;

/** Opens the form for a kind. */
async function openForm(page: Page, kind: (typeof KINDS)[number]): Promise<void> {
  await page.goto(`${perch.url}/`);
  await page.click(`label[for=kind-${kind}]`);
}

/** Sends the form and returns what the result says. */
async function publishForm(page: Page): Promise<{ url: string; token: string }> {
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector(RESULT);
  expect(await resultHasFocus(page)).toBe(true);
  expect(await page.locator('#publish-progress').isVisible()).toBe(false);
  const url = (await page.getAttribute(`${RESULT} .result-url`, 'href')) ?? '';
  return { url, token: (await page.textContent(`${RESULT} .result-token`)) ?? '' };
}

/** Sends the form and returns the fault it shows. */
async function refuseForm(page: Page): Promise<string> {
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector('#publish-error:not([hidden])');
  expect(await inPage<string>(page, 'document.activeElement.id')).toBe('publish-error');
  return (await page.textContent('#publish-error')) ?? '';
}

/** Lets go of a file or folder above an element, as a person does with what they drag in from their desk. */
async function drop(context: BrowserContext, page: Page, selector: string, path: string): Promise<void> {
  const box = await page.locator(selector).boundingBox();
  if (box === null) throw new Error(`${selector} is not shown`);
  const session = await context.newCDPSession(page);
  const at = { x: box.x + box.width / 2, y: box.y + 8 };
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at, data });
}

/** A site on the disk, beside what a version control keeps there. */
async function siteFolder(): Promise<string> {
  const folder = join(dir, 'garden');
  await mkdir(join(folder, 'style'), { recursive: true });
  await mkdir(join(folder, '.git'), { recursive: true });
  const link = '<link rel="stylesheet" href="style/main.css">';
  await Bun.write(join(folder, 'index.html'), `<!doctype html><title>Garden</title>${link}<h1>Garden</h1>`);
  await Bun.write(join(folder, 'style/main.css'), 'h1 { color: rgb(0, 128, 0) }');
  await Bun.write(join(folder, '.git/config'), 'private');
  return folder;
}

async function expectGarden(page: Page, url: string): Promise<void> {
  await page.goto(url);
  expect(await page.title()).toBe('Garden');
  expect(await inPage<string>(page, "getComputedStyle(document.querySelector('h1')).color")).toBe(
    'rgb(0, 128, 0)',
  );
}

test('a person publishes a file that they choose', async () => {
  const { page, complaints } = await visit();
  await openForm(page, 'file');
  await page.setInputFiles('#file', {
    ...{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('seeds and water') },
  });
  expect(await page.textContent('#file-chosen')).toBe('notes.txt, 15 bytes');
  await page.fill('#title', 'Notes');
  await page.selectOption('#ttl', '1');
  const { url, token } = await publishForm(page);
  await page.goto(url);
  expect(await page.textContent('main, body')).toContain('seeds and water');
  expect(complaints).toEqual([]);
  const list = await fetch(`${perch.url}/api/files`, {
    headers: { 'X-Owner-Token': token, 'User-Agent': 'PerchTests/1' },
  });
  expect(await list.json()).toMatchObject([{ filename: 'notes.txt', title: 'Notes', ttlDays: 1 }]);
});

test('a person drops a file', async () => {
  const { context, page, complaints } = await visit();
  await Bun.write(join(dir, 'dropped.csv'), 'a,b\n1,2\n');
  await openForm(page, 'file');
  await drop(context, page, '#file-drop', join(dir, 'dropped.csv'));
  await page.waitForSelector('#file-chosen:has-text("dropped.csv")');
  const { url } = await publishForm(page);
  expect(await (await fetch(url, { headers: { 'User-Agent': 'PerchTests/1' } })).text()).toBe('a,b\n1,2\n');
  expect(complaints).toEqual([]);
});

test('a person drops a folder, which becomes a site without what is hidden in it', async () => {
  const { context, page, complaints } = await visit();
  await openForm(page, 'site');
  await drop(context, page, '#site-drop', await siteFolder());
  await page.waitForSelector('#site-chosen:has-text("garden, 2 files")');
  const { url } = await publishForm(page);
  await expectGarden(page, url);
  const hidden = await fetch(`${url}/.git/config`, { headers: { 'User-Agent': 'PerchTests/1' } });
  expect(hidden.status).toBe(404);
  expect(complaints).toEqual([]);
});

test('a person chooses a folder, and another one a ZIP', async () => {
  const { page, complaints } = await visit();
  await openForm(page, 'site');
  await page.setInputFiles('#folder', await siteFolder());
  expect(await page.textContent('#site-chosen')).toStartWith('garden, 2 files');
  await expectGarden(page, (await publishForm(page)).url);

  const files = { 'start.html': '<title>Start</title>', 'other.html': '<title>Other</title>' };
  const archive = zipSync(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])),
  );
  await openForm(page, 'site');
  await page.setInputFiles('#archive', {
    ...{ name: 'site.zip', mimeType: 'application/zip', buffer: Buffer.from(archive) },
  });
  expect(await refuseForm(page)).toContain('no index.html and several other HTML files');
  await page.fill('#entry', 'start.html');
  const { url } = await publishForm(page);
  await page.goto(url);
  expect(await page.title()).toBe('Start');
  expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
});

test('what was published before stays on the page, and is no answer to what failed since', async () => {
  const { page, complaints } = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
  await openForm(page, 'page');
  await page.fill('#content', 'first');
  const first = await publishForm(page);

  await page.fill('#content', ' ');
  await refuseForm(page);
  expect(await page.locator('#publish-results h3').allTextContents()).toEqual(['Published earlier']);
  expect(await page.getAttribute('#publish-results article', 'aria-label')).toBe('Published earlier');

  await page.fill('#content', 'second');
  const second = await publishForm(page);
  expect(await page.locator('#publish-results h3').allTextContents()).toEqual([
    'Published',
    'Published earlier',
  ]);
  expect(await page.locator('#publish-results .result-url').allTextContents()).toEqual([
    second.url,
    first.url,
  ]);
  expect(await page.locator('#publish-results .result-token').allTextContents()).toEqual([
    second.token,
    first.token,
  ]);
  await page.click('#publish-results article:last-child button[aria-label="Copy owner token"]');
  await page.waitForSelector('#publish-results article:last-child button:has-text("Copied")');
  expect(await inPage<string>(page, 'navigator.clipboard.readText()')).toBe(first.token);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
});

test.each(KINDS.map((kind) => ({ kind })))('a $kind gets the password it is given', async ({ kind }) => {
  const { page } = await visit();
  await openForm(page, kind);
  if (kind === 'page') await page.fill('#content', 'Seeds');
  else if (kind === 'site') await page.setInputFiles('#folder', await siteFolder());
  else
    await page.setInputFiles('#file', {
      ...{ name: 'ours.txt', mimeType: 'text/plain', buffer: Buffer.from('Seeds') },
    });
  await page.fill('#password', ' edges ');
  expect(await refuseForm(page)).toStartWith('Password: must not begin or end with white space');
  await page.fill('#password', 'früh 🌱');
  const { url } = await publishForm(page);
  expect((await fetch(url, { headers: { 'User-Agent': 'PerchTests/1' } })).status).toBe(403);
  await page.goto(url);
  await page.fill('#password', 'früh 🌱');
  await page.click('main button[type=submit]');
  await page.waitForSelector(`body:has-text("${kind === 'site' ? 'Garden' : 'Seeds'}")`);
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

test('the form says how large a file is', async () => {
  const { page } = await visit();
  await openForm(page, 'file');
  const sizes: [bytes: number, words: string][] = [
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1023 bytes'],
    [1024, '1 KB'],
    [1_048_576, '1.0 MB'],
  ];
  for (const [bytes, words] of sizes) {
    await page.setInputFiles('#file', {
      ...{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.alloc(bytes, 'a') },
    });
    expect(await page.textContent('#file-chosen')).toBe(`a.txt, ${words}`);
  }
});

test('the form says what is wrong with a file', async () => {
  const { page } = await visit();
  await openForm(page, 'file');
  expect(await refuseForm(page)).toBe('Choose a file first.');
  const program = { name: 'setup.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('MZ') };
  await page.setInputFiles('#file', program);
  expect(await page.locator('#publish-error').isVisible()).toBe(false);
  expect(await refuseForm(page)).toContain('".exe" are not accepted');
  await page.setInputFiles('#file', { ...program, name: 'big.png', buffer: Buffer.alloc(6 * 1_048_576) });
  expect(await refuseForm(page)).toContain('larger than the limit of 5 MB');
  await page.click('label[for=kind-site]');
  expect(await refuseForm(page)).toBe('Choose a ZIP or a folder first.');
});

test('an upload shows how far it is, and can be cancelled', async () => {
  const { context, page } = await visit();
  await openForm(page, 'file');
  await page.setInputFiles('#file', {
    ...{ name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.alloc(4 * 1_048_576, 'a') },
  });
  const session = await context.newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 65_536 };
  await session.send('Network.emulateNetworkConditions', slow);
  await page.click('#publish-form button[type=submit]');
  await inPage(
    page,
    `new Promise((resolve) => {
      const look = () => (document.getElementById('publish-bar').value > 0 ? resolve() : requestAnimationFrame(look));
      look();
    })`,
  );
  expect(await page.textContent('#publish-phase')).toBe('Uploading');
  await page.click('#publish-cancel');
  await page.waitForSelector('#publish-error:not([hidden])');
  expect(await page.textContent('#publish-error')).toContain('Cancelled');
  expect(await page.locator('#publish-progress').isVisible()).toBe(false);

  await session.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  await publishForm(page);
});

test('the form is used with the keyboard alone', async () => {
  const { page } = await visit();
  await page.goto(`${perch.url}/`);
  await page.focus('#kind-page');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  expect(await page.locator('#content').isVisible()).toBe(false);
  const reached: string[] = [];
  for (let step = 0; step < 7; step++) {
    await page.keyboard.press('Tab');
    reached.push(await inPage<string>(page, 'document.activeElement.id || document.activeElement.type'));
  }
  expect(reached).toEqual(['archive', 'folder', 'title', 'entry', 'ttl', 'password', 'submit']);
});

test('the page is read without scripts', async () => {
  const { page } = await visit({ javaScriptEnabled: false });
  await page.goto(`${perch.url}/`);
  const text = (await page.textContent('main')) ?? '';
  for (const path of ['html', 'files', 'sites', 'json', 'kv']) expect(text).toContain(`/api/${path}`);
  expect(text).toContain('This form needs JavaScript.');
  await page.click('footer a[href="/docs"]');
  await page.waitForURL(`${perch.url}/docs`);
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
    for (const kind of KINDS) {
      await openForm(page, kind);
      expect([kind, ...(await accessibilityFaults(page))]).toEqual([kind]);
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
