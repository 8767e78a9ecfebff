import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';
import { drop, KINDS, openForm, publishForm, refuseForm, textFiles } from './home-form.ts';

const visit = useBrowser();
let perch: Instance;
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'perch-home-'));
  perch = await sharedInstance('embedded');
}, START_LIMIT_MS);
afterAll(() => rm(dir, { recursive: true, force: true }));

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
  await openForm(page, perch.url, 'file');
  await page.setInputFiles('#file', {
    name: 'notes.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('seeds and water'),
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
  await openForm(page, perch.url, 'file');
  await drop(context, page, '#file-drop', join(dir, 'dropped.csv'));
  await page.waitForSelector('#file-chosen:has-text("dropped.csv")');
  const { url } = await publishForm(page);
  expect(await (await fetch(url, { headers: { 'User-Agent': 'PerchTests/1' } })).text()).toBe('a,b\n1,2\n');
  expect(complaints).toEqual([]);
});

test('a person drops a folder, which becomes a site without what is hidden in it', async () => {
  const { context, page, complaints } = await visit();
  await openForm(page, perch.url, 'site');
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
  await openForm(page, perch.url, 'site');
  await page.setInputFiles('#folder', await siteFolder());
  expect(await page.textContent('#site-chosen')).toStartWith('garden, 2 files');
  await expectGarden(page, (await publishForm(page)).url);

  const files = { 'start.html': '<title>Start</title>', 'other.html': '<title>Other</title>' };
  const archive = zipSync(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])),
  );
  await openForm(page, perch.url, 'site');
  await page.setInputFiles('#archive', {
    name: 'site.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from(archive),
  });
  expect(await refuseForm(page)).toContain('no index.html and several other HTML files');
  await page.fill('#entry', 'start.html');
  const { url } = await publishForm(page);
  await page.goto(url);
  expect(await page.title()).toBe('Start');
  expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
});

test.each(KINDS.map((kind) => ({ kind })))('a $kind gets the password it is given', async ({ kind }) => {
  const { page } = await visit();
  await openForm(page, perch.url, kind);
  if (kind === 'page') await page.fill('#content', 'Seeds');
  else if (kind === 'site') await page.setInputFiles('#folder', await siteFolder());
  else
    await page.setInputFiles('#file', {
      name: 'ours.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Seeds'),
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

test('the form says how large a file is', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'file');
  const sizes: [bytes: number, words: string][] = [
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1023 bytes'],
    [1024, '1 KB'],
    [1_048_576, '1 MB'],
  ];
  for (const [bytes, words] of sizes) {
    await page.setInputFiles('#file', {
      name: 'a.txt',
      mimeType: 'text/plain',
      buffer: Buffer.alloc(bytes, 'a'),
    });
    expect(await page.textContent('#file-chosen')).toBe(`a.txt, ${words}`);
  }
});

test('the form says what is wrong with a file', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'file');
  expect(await refuseForm(page)).toBe('Choose a file first.');
  const program = { name: 'setup.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('MZ') };
  await page.setInputFiles('#file', program);
  expect(await page.locator('#publish-error').isVisible()).toBe(false);
  expect(await refuseForm(page)).toStartWith('Files of this type are not accepted.');
  await page.setInputFiles('#file', { ...program, name: 'big.png', buffer: Buffer.alloc(6 * 1_048_576) });
  expect(await refuseForm(page)).toContain('larger than the limit of 5 MB');
  await page.click('label[for=kind-site]');
  expect(await refuseForm(page)).toBe('Choose a ZIP or a folder first.');
});

test('a German form says in German what is wrong with a site, a file or a key', async () => {
  const { page } = await visit({ locale: 'de-DE' });
  await openForm(page, perch.url, 'site');
  const zip = zipSync({ 'index.html': strToU8('<title>x</title>') });
  const archive = { name: 'site.zip', mimeType: 'application/zip', buffer: Buffer.from(zip) };
  await page.setInputFiles('#archive', { ...archive, buffer: archive.buffer.subarray(0, 40) });
  expect(await refuseForm(page)).toStartWith('ZIP: muss ein ganzes ZIP ');
  await page.setInputFiles('#archive', archive);
  await page.fill('#entry', 'nope.html');
  expect(await refuseForm(page)).toStartWith('Erste Datei: muss eine der Dateien der Website sein.');
  const program = zipSync({ 'index.html': strToU8('<title>x</title>'), tool: strToU8('\x7fELF') });
  await page.setInputFiles('#archive', { ...archive, buffer: Buffer.from(program) });
  expect(await refuseForm(page)).toStartWith('tool: is an ELF program');

  await page.click('label[for=kind-file]');
  for (const text of ['', 'text', '\ufeffx']) {
    const buffer = Buffer.from(text, text.length === 2 ? 'utf16le' : 'utf8');
    await page.setInputFiles('#file', { name: 'x.png', mimeType: 'image/png', buffer });
    expect(await refuseForm(page)).toStartWith('Der Inhalt wird nicht angenommen: ');
  }

  await page.click('label[for=kind-kv]');
  await page.fill('.pair [name=pair-key]', 'a/b');
  expect(await refuseForm(page)).toStartWith('Schlüssel: hat 1 bis 256 Zeichen, keinen Schrägstrich ');
});

test('an upload shows how far it is, and can be cancelled', async () => {
  const { context, page } = await visit();
  await openForm(page, perch.url, 'file');
  await page.setInputFiles('#file', {
    name: 'long.txt',
    mimeType: 'text/plain',
    buffer: Buffer.alloc(4 * 1_048_576, 'a'),
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
  expect(await page.textContent('#publish-phase')).toMatch(/^Uploading long\.txt: [\d.]+ [KM]B of 4 MB/);
  await page.click('#publish-cancel');
  await page.waitForSelector('#publish-error:not([hidden])');
  expect(await page.textContent('#publish-error')).toContain('Cancelled before all of it had arrived');
  expect(await page.locator('#publish-progress').isVisible()).toBe(false);

  await session.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  await publishForm(page);
});

test('a form that is changed while its files are uploaded is published anew', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'file');
  await page.setInputFiles('#file', textFiles('one.txt', 'two.txt'));
  const { promise: filled, resolve } = Promise.withResolvers<void>();
  await page.route('**/api/files*', async (route) => {
    await filled;
    await route.continue();
  });
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector('#publish-progress:not([hidden])');
  await page.fill('#title', 'Changed meanwhile');
  resolve();
  await page.waitForSelector('#publish-results > article:nth-child(2)');
  await page.waitForSelector('#publish-progress', { state: 'hidden' });
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector('#publish-results > article:nth-child(4)');
  expect(await page.locator('#publish-error').isVisible()).toBe(false);
});
