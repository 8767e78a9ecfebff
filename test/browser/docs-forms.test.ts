import { beforeAll, expect, test } from 'bun:test';
import { strToU8, zipSync } from 'fflate';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { START_LIMIT_MS, useBrowser } from './browser.ts';
import { execute, openOperation } from './docs-page.ts';

const visit = useBrowser();
let perch: Instance;

beforeAll(async () => {
  perch = await sharedInstance('embedded');
}, START_LIMIT_MS);

const siteZip = (title: string) => ({
  name: 'site.zip',
  mimeType: 'application/zip',
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

test('a key is read by an address that is filled in', async () => {
  const { page, complaints } = await visit();
  const store = await fetch(`${perch.url}/api/kv`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"key":"status","value":"open"}',
  });
  const { id } = (await store.json()) as { id: string };
  await page.goto(`${perch.url}/docs`);
  const block = await openOperation(page, 'KV-readKey');
  const address = { ns: 'public', id, key: 'status' };
  for (const [name, value] of Object.entries(address))
    await page.fill(`${block} input[placeholder=${name}]`, value);
  const { status, body } = await execute(page, block);
  expect([status, JSON.parse(body)]).toMatchObject(['200', { key: 'status', value: 'open' }]);
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
