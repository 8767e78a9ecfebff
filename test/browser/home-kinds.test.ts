import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { until } from '../faults/waiting.ts';
import { sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { accessibilityFaults } from './accessibility.ts';
import { inPage, useBrowser } from './browser.ts';
import { drop, openForm, publishForm, RESULT, refuseForm, textFiles } from './home-form.ts';

const visit = useBrowser();
const perch = useStarted(() => sharedInstance());

const AGENT = { 'User-Agent': 'PerchTests/1' };
const get = (url: string) => fetch(url, { headers: AGENT });

/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'perch-kinds-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('a pasted HTML document is published as HTML, and the form says so', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'page');
  const text =
    '\n<!doctype html><title>Kept</title><style>p { color: rgb(1, 2, 3) }</style><p>x</p><img src="bird.png">';
  await page.fill('#content', text);
  expect(await page.inputValue('#format')).toBe('HTML');
  expect(await page.textContent('#format-said')).toContain('the format is HTML now');
  const { url } = await publishForm(page);
  expect(await page.textContent(`${RESULT} .result-warning`)).toContain('bird.png');
  await page.goto(url);
  expect(await page.title()).toBe('Kept');
  expect(await inPage<string>(page, "getComputedStyle(document.querySelector('p')).color")).toBe(
    'rgb(1, 2, 3)',
  );

  await openForm(page, perch.url, 'page');
  await page.fill('#content', text);
  await page.selectOption('#format', 'TEXT');
  await page.fill('#content', `${text} `);
  expect(await page.inputValue('#format')).toBe('TEXT');
});

test('a format that the form has switched to goes back with the document it was for', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'page');
  const shown = async () => [await page.inputValue('#format'), await page.textContent('#format-said')];
  await page.fill('#content', '<!doctype html><p>Tea');
  expect(await shown()).toEqual(['HTML', 'This is an HTML document: the format is HTML now.']);
  await page.fill('#content', '# Tea');
  expect(await shown()).toEqual(['MARKDOWN', '']);
  await page.fill('#content', '<!doctype html><p>Tea');
  await page.fill('#content', '');
  expect(await shown()).toEqual(['MARKDOWN', '']);

  await page.selectOption('#format', 'HTML');
  await page.fill('#content', '<p>Tea');
  expect(await shown()).toEqual(['HTML', '']);
  await page.selectOption('#format', 'MARKDOWN');
  await page.fill('#content', '<!doctype html><p>Tea');
  await page.selectOption('#format', 'HTML');
  await page.fill('#content', '# Tea');
  expect(await shown()).toEqual(['HTML', '']);
});

test('a second click publishes no duplicate, and a change is published', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'json');
  await page.fill('#document', '{"a": 1}');
  const first = await publishForm(page);
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector(`${RESULT} .result-again:not([hidden])`);
  expect(await page.locator('#publish-results article').count()).toBe(1);
  await page.fill('#document', '{"a": 2}');
  const second = await publishForm(page);
  expect(await page.locator('.result-again:visible').count()).toBe(0);
  expect(second.url).not.toBe(first.url);
  expect(second.token).toBe(first.token);
  expect(await (await get(second.url)).text()).toBe('{"a": 2}');
});

test('a document is checked as it is typed', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'json');
  await page.fill('#document', '{\n  "a": 1,\n  b: 2\n}');
  expect(await page.textContent('#document-said')).toContain('line 3, column 3');
  expect(await page.getAttribute('#document', 'aria-invalid')).toBe('true');
  // Chromium's own parser names no place for these two.
  for (const [text, place] of [
    ['[1,\n]', 'line 2, column 1'],
    ['{"a": [1,', 'line 1, column 10'],
  ] as const) {
    await page.fill('#document', text);
    expect(await page.textContent('#document-said')).toContain(place);
  }
  await page.fill('#document', '[]');
  expect(await page.textContent('#document-said')).toBe('Valid JSON, 2 bytes.');
  expect(await page.getAttribute('#document', 'aria-invalid')).toBe(null);
  await page.fill('#password', 'früh 🌱');
  const { url } = await publishForm(page);
  expect((await get(url)).status).toBe(403);
  expect((await get(`${url}?p=${encodeURIComponent('früh 🌱')}`)).status).toBe(200);
});

test('a store is made with its keys, and numbers as they were written', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'kv');
  expect(await refuseForm(page)).toBe('Fill in a key and its value first.');
  const rows = page.locator('.pair');
  const fill = async (row: number, key: string, value: string, type: string): Promise<void> => {
    await rows.nth(row).locator('[name=pair-key]').fill(key);
    await rows.nth(row).locator('[name=pair-value]').fill(value);
    await rows.nth(row).locator('[name=pair-type]').selectOption(type);
  };
  await fill(0, 'status', '1.50', 'json');
  await page.click('#pair-add');
  await fill(1, 'count', '{', 'json');
  expect(await refuseForm(page)).toBe('The value of count is not valid JSON.');
  await fill(1, 'status', '7', 'json');
  expect(await refuseForm(page)).toBe('The key status is there twice.');
  await fill(1, 'a count', '12345678901234567890', 'json');
  await page.click('#pair-add');
  await fill(2, 'note', '7', 'text');
  const { url } = await publishForm(page);
  expect(await (await get(`${url}/status`)).text()).toBe('1.50');
  expect(await (await get(`${url}/a%20count`)).text()).toBe('12345678901234567890');
  expect((await get(`${url}/note`)).headers.get('content-type')).toStartWith('text/plain');
});

test('a key that no store can have is refused before the store is there', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'kv');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await page.fill('.pair [name=pair-key]', 'status');
  await page.fill('.pair [name=pair-value]', 'ready');
  await page.click('#pair-add');
  const key = page.locator('.pair').nth(1).locator('[name=pair-key]');
  const dots = 'Key: must not be "." or "..": no address can end with them.';
  for (const [name, fault] of [
    ['a/b', 'Key: must not contain a slash.'],
    ['a\tb', 'Key: must not contain control characters.'],
    ['.', dots],
    ['..', dots],
  ] as const) {
    await key.fill(name);
    expect(await refuseForm(page)).toBe(fault);
  }
  expect(sent).toEqual([]);
  await key.fill('...');
  const { url } = await publishForm(page);
  expect(sent).toEqual(['POST /api/kv', `PUT /api/kv${new URL(url).pathname}/...`]);
});

test('a store whose further keys cannot be written is there, with a warning that names the first of them', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'kv');
  await page.fill('.pair [name=pair-key]', 'status');
  await page.fill('.pair [name=pair-value]', 'ready');
  await page.click('#pair-add');
  await page.locator('.pair').nth(1).locator('[name=pair-key]').fill('count');
  await page.locator('.pair').nth(1).locator('[name=pair-value]').fill('7');
  await page.route('**/api/kv/**', (route) => route.abort());
  const { url } = await publishForm(page);
  const warning = await page.textContent(`${RESULT} .result-warning`);
  expect(warning).toContain('The key count and those after it are not written. The server cannot be reached');
  expect(await (await get(`${url}/status`)).text()).toBe('ready');
});

test('what is dropped anywhere on the page chooses its kind', async () => {
  const { context, page, complaints } = await visit();
  const put = async (name: string, content: string | Buffer): Promise<string> => {
    await Bun.write(join(dir, name), content);
    return join(dir, name);
  };
  const dropped = async (path: string): Promise<string> => {
    await drop(context, page, '.intro', path);
    return path;
  };
  await page.goto(`${perch.url}/`);
  await dropped(await put('picture.png', PNG));
  await page.waitForSelector('#file-chosen:has-text("picture.png")');
  expect(await page.isChecked('#kind-file')).toBe(true);

  await page.goto(`${perch.url}/`);
  await dropped(await put('notes.md', '# From a file'));
  await until('the text is read', async () => (await page.inputValue('#content')) === '# From a file');
  expect(await page.isChecked('#kind-page')).toBe(true);
  expect(await page.inputValue('#format')).toBe('MARKDOWN');
  await dropped(await put('other.txt', 'does not replace it'));
  await page.waitForSelector('#file-chosen:has-text("other.txt")');
  expect(await page.inputValue('#content')).toBe('# From a file');

  // Else the page asks whether to leave.
  await page.click('label[for=kind-page]');
  await page.fill('#content', '');
  await page.goto(`${perch.url}/`);
  await dropped(await put('data.json', '{"from": "a file"}'));
  await page.waitForSelector('#document-said:has-text("Valid JSON")');
  expect(complaints).toEqual([]);
});

test('a pasted picture becomes a file', async () => {
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/`);
  await inPage(
    page,
    `(() => {
      const bytes = Uint8Array.from(atob('${PNG.toString('base64')}'), (c) => c.charCodeAt(0));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([bytes], 'image.png', { type: 'image/png' }));
      document.getElementById('content').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    })()`,
  );
  await page.waitForSelector('#file-chosen:has-text("pasted-")');
  const { url } = await publishForm(page);
  expect((await get(url)).headers.get('Content-Type')).toBe('image/png');
  expect(complaints).toEqual([]);
});

/** The headings of the cards, last published first. */
const cards = (page: Page): Promise<string[]> => page.locator('#publish-results h3').allTextContents();

test('several files are published one after the other, and each is called by its name', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'file');
  await page.setInputFiles('#file', textFiles('a.txt', 'b.txt'));
  await page.fill('#title', 'Letters');
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector('#publish-results article:nth-child(2)');
  await page.waitForSelector('#publish-progress', { state: 'hidden' });
  const urls = await page.locator('#publish-results .result-url').allTextContents();
  expect(await Promise.all(urls.map(async (url) => await (await get(url)).text()))).toEqual([
    'b.txt',
    'a.txt',
  ]);
  expect(await cards(page)).toEqual(['Published: b.txt', 'Published: a.txt']);
  expect(await page.getAttribute(RESULT, 'aria-label')).toBe('Published: b.txt');
  expect(await accessibilityFaults(page)).toEqual([]);
});

test('of several files those that are there already are not published again with the rest', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'file');
  await page.setInputFiles('#file', textFiles('c.txt', 'd.txt', 'e.txt'));
  let sent = 0;
  await page.route('**/api/files**', async (route) => {
    sent += 1;
    await (sent === 2 ? route.abort() : route.continue());
  });
  expect(await refuseForm(page)).toBe(
    'Stopped at d.txt. Published: 1 of 3 files, left: 2.The server cannot be reached, or the upload broke off. Check your connection and try again.',
  );
  expect(await cards(page)).toEqual(['Published: c.txt']);
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector('#publish-results article:nth-child(3)');
  await page.waitForSelector('#publish-progress', { state: 'hidden' });
  expect(await cards(page)).toEqual(['Published: e.txt', 'Published: d.txt', 'Published earlier: c.txt']);
  expect(sent).toBe(4);
  const urls = await page.locator('#publish-results .result-url').allTextContents();
  expect(new Set(urls).size).toBe(3);
});

test('of several files one that is refused does not hold up the others, and can be taken out', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'file');
  const [first, refused, last] = textFiles('f.txt', 'g.tar.gz', 'h.txt');
  if (first === undefined || refused === undefined || last === undefined) throw new Error('no files');
  await page.setInputFiles('#file', [first, { ...refused, buffer: Buffer.from([0x1f, 0x8b, 8, 0]) }, last]);
  const listed = () => page.locator('#file-list li span').allTextContents();
  expect(await listed()).toEqual(['f.txt, 5 bytes', 'g.tar.gz, 4 bytes', 'h.txt, 5 bytes']);
  expect(await accessibilityFaults(page)).toEqual([]);
  let sent = 0;
  await page.route('**/api/files**', async (route) => {
    sent += 1;
    await route.continue();
  });
  const refusal =
    'Published: 2 of 3 files. Refused: 1.g.tar.gz: Files of this type are not accepted. Texts, pictures, audio, video, PDFs, archives and fonts are.';
  expect(await refuseForm(page)).toBe(refusal);
  expect(await cards(page)).toEqual(['Published: h.txt', 'Published: f.txt']);
  expect(await refuseForm(page)).toBe(refusal);
  expect(sent).toBe(4);

  await page.click('#file-list button[aria-label="Remove g.tar.gz"]');
  expect(await listed()).toEqual(['f.txt, 5 bytes', 'h.txt, 5 bytes']);
  expect(await inPage<string>(page, 'document.activeElement.ariaLabel')).toBe('Remove h.txt');
  expect(await page.textContent('#file-chosen')).toBe('2 files, 10 bytes');
  expect(await page.locator('#publish-error').isVisible()).toBe(false);
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector('.result-again:not([hidden])');
  expect(sent).toBe(4);
  expect(await page.locator('#publish-results article').count()).toBe(2);
});

test('a fault of all files stops at the first of them', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'file');
  await page.setInputFiles('#file', textFiles('i.txt', 'j.txt'));
  await page.fill('#password', ' edges ');
  const fault = await refuseForm(page);
  expect(fault).toStartWith('Stopped at i.txt. Published: 0 of 2 files, left: 2.');
  expect(fault).toContain('Password: must not begin or end with white space');
  expect(fault).not.toContain('j.txt');
});

test('a picture chosen as a ZIP is called by its name', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'site');
  await page.setInputFiles('#archive', { name: 'photo.png', mimeType: 'image/png', buffer: PNG });
  expect(await refuseForm(page)).toBe('photo.png is of type PNG, not a ZIP. Publish it under “Files”.');
  // Systems differ in the type that they have for the extension.
  for (const mimeType of ['application/zip', 'application/x-zip-compressed', '']) {
    await page.setInputFiles('#archive', { name: 'x.zip', mimeType, buffer: PNG });
    expect(await refuseForm(page)).toBe('x.zip is damaged, or is no ZIP.');
  }
});

test('a site that was built for the root of a host is published with a warning', async () => {
  const { page } = await visit();
  await Bun.write(
    join(dir, 'built/index.html'),
    '<!doctype html><title>Built</title><script src="/assets/app.js"></script>',
  );
  await Bun.write(join(dir, 'built/assets/app.js'), 'localStorage.clear()');
  await openForm(page, perch.url, 'site');
  await page.setInputFiles('#folder', join(dir, 'built'));
  await publishForm(page);
  const warning = (await page.textContent(`${RESULT} .result-warning`)) ?? '';
  expect(warning).toContain('relative addresses');
  expect(warning).toContain('localStorage');
});

test('what is not for everybody is listed nowhere', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'page');
  await page.fill('#content', 'for those who know the address');
  await page.check('#visibility-unlisted');
  const { url } = await publishForm(page);
  expect(new URL(url).pathname).not.toStartWith('/public/');
  expect((await get(url)).headers.get('X-Robots-Tag')).toContain('noindex');
});
