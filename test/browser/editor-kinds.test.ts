import { expect, test } from 'bun:test';
import { sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { accessibilityFaults } from './accessibility.ts';
import { inPage, isInSight, useBrowser } from './browser.ts';
import { answerDialog, openEditor, said, write } from './edit-page.ts';
import type { Published } from './publish.ts';
import { createStore } from './uploads.ts';

const visit = useBrowser();
const perch = useStarted(() => sharedInstance());

const AGENT = { 'User-Agent': 'PerchTests/1' };

test('a document is checked as it is typed, and saved with its line ends', async () => {
  const created = await fetch(`${perch.url}/api/json`, {
    method: 'POST',
    headers: { ...AGENT, 'Content-Type': 'application/json' },
    body: '{\r\n  "a": 1\r\n}',
  });
  const { namespace, id, ownerToken } = (await created.json()) as Published;
  const path = `/${namespace}/${id}`;
  const { page, complaints } = await openEditor(visit, {
    namespace,
    id,
    ownerToken,
    path,
    url: perch.url + path,
  });
  for (const place of ['#title', '.editing-views'])
    expect(await page.locator(place).first().isVisible()).toBe(false);
  await write(page, '{\n  "a": 2,\n}');
  await page.waitForSelector('#document-said.field-error:has-text("line 3")');
  await write(page, '{\n  "a": 2\n}');
  await page.waitForSelector('#document-said:has-text("Valid JSON")');
  await page.keyboard.press('Control+s');
  await said(page, 'Saved at');
  const stored = await fetch(`${perch.url}/api/json${path}`, { headers: AGENT });
  expect(await stored.text()).toBe('{\r\n  "a": 2\r\n}');
  expect(complaints).toEqual([]);
});

test('the values of a store are changed, added and removed, and never over those of somebody else', async () => {
  const json = { ...AGENT, 'Content-Type': 'application/json' };
  const created = await fetch(`${perch.url}/api/kv`, {
    method: 'POST',
    headers: json,
    body: '{"key":"price","value":{"euro":1.50}}',
  });
  const { namespace, id, ownerToken } = (await created.json()) as Published;
  const keyAt = (key: string): string => `${perch.url}/api/kv/${namespace}/${id}/${key}`;
  const put = (key: string, body: string) =>
    fetch(keyAt(key), { method: 'PUT', headers: { ...json, 'X-Owner-Token': ownerToken }, body });
  const read = async (key: string): Promise<string> =>
    await (await fetch(keyAt(key), { headers: AGENT })).text();

  const { page } = await visit();
  await page.goto(`${perch.url}/edit/${namespace}/${id}`);
  await page.fill('#edit-token', ownerToken);
  // Here and below a second click is to do nothing more.
  await page.dblclick('#edit-ask button');
  await page.click('.pair-row summary');
  const value = page.locator('.pair-row textarea');
  await page.waitForSelector('.pair-row form:not([hidden])');
  expect(await value.inputValue()).toBe('{"euro":1.50}');
  await value.fill('{"euro":2.50');
  await page.click('.pair-row button.button:not([data-action])');
  await page.waitForSelector('#pairs-fault:has-text("not valid JSON")');
  await value.fill('{"euro":2.50}');
  await page.dblclick('.pair-row button.button:not([data-action])');
  await page.waitForSelector('#pairs-said:has-text("is saved")');
  expect(await page.locator('.pair-theirs').isVisible()).toBe(false);
  expect(await read('price')).toContain('"value":{"euro":2.50}');

  await put('price', '{"value":3}');
  await value.fill('4');
  await page.click('.pair-row button.button:not([data-action])');
  await page.waitForSelector('.pair-theirs:not([hidden]) pre:text-is("3")');
  expect(await read('price')).toContain('"value":3,');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.click('.pair-row button.button:not([data-action])');
  await page.waitForSelector('.pair-theirs', { state: 'hidden' });
  expect(await read('price')).toContain('"value":4,');

  await page.fill('#new-key', 'price');
  await page.fill('#new-value', 'x');
  await page.click('#pair-new button');
  await page.waitForSelector('#pairs-fault:has-text("there already")');
  await page.fill('#new-key', 'note');
  await page.dblclick('#pair-new button');
  await page.waitForSelector('.pair-row:nth-child(2)');
  await page.waitForSelector('#pairs-said:has-text("is saved")');
  expect(await read('note')).toContain('"value":"x"');
  await page.click('.pair-row:nth-child(2) summary');
  await page.click('.pair-row:nth-child(2) [data-action=remove]');
  await answerDialog(page, 'remove-key', 'ok');
  await page.waitForSelector('.pair-row:nth-child(2)', { state: 'detached' });
  expect(await page.locator('.pair-row:first-child summary:focus').count()).toBe(1);
  expect((await fetch(keyAt('note'), { headers: AGENT })).status).toBe(404);
});

test('a key that somebody else has deleted is created again by a second save, or leaves the list', async () => {
  const store = await createStore(perch.url, { one: 1, two: 2, three: 3 });
  const owned = { ...AGENT, 'X-Owner-Token': store.ownerToken };
  const keyAt = (key: string): string => `${perch.url}/api/kv${store.path}/${key}`;
  const removeElsewhere = (key: string) => fetch(keyAt(key), { method: 'DELETE', headers: owned });
  const { page } = await visit();
  await page.goto(`${perch.url}/edit${store.path}#k=${store.ownerToken}`);
  const row = (key: string) => page.locator(`.pair-row:has(.pair-key:text-is("${key}"))`);
  for (const key of ['one', 'two']) {
    await row(key).locator('summary').click();
    await row(key).locator('form').waitFor();
  }
  for (const key of ['one', 'two', 'three']) await removeElsewhere(key);

  await row('one').locator('textarea').fill('10');
  await row('one').locator('button:not([data-action])').click();
  await page.waitForSelector('#pairs-fault:has-text("save once more")');
  await row('one').locator('button:not([data-action])').click();
  await page.waitForSelector('#pairs-said:has-text("is saved")');
  expect(await (await fetch(keyAt('one'), { headers: AGENT })).text()).toContain('"value":10');

  await row('two').locator('[data-action=remove]').click();
  await answerDialog(page, 'remove-key', 'ok');
  await page.waitForSelector('#pairs-said:has-text("The key two was deleted already")');
  await row('three').locator('summary').click();
  await page.waitForSelector('#pairs-said:has-text("The key three was deleted already")');
  expect(await page.locator('.pair-row').count()).toBe(1);
});

test('a new key that no store can have is refused, and not sent to another address', async () => {
  const store = await createStore(perch.url, { one: 1 });
  const { page } = await visit();
  await page.goto(`${perch.url}/edit${store.path}#k=${store.ownerToken}`);
  await page.waitForSelector('.pair-row');
  let sent = 0;
  page.on('request', () => {
    sent += 1;
  });
  await page.fill('#new-value', 'x');
  for (const [key, fault] of [
    ['..', 'Key: must not be "." or "..": no address can end with them.'],
    ['a/b', 'Key: must not contain a slash.'],
  ] as const) {
    await page.fill('#new-key', key);
    await page.click('#pair-new button');
    await page.locator('#pairs-fault', { hasText: fault }).waitFor();
  }
  expect(sent).toBe(0);
});

test('what came of a key far down the list is said in sight of it', async () => {
  const store = await createStore(
    perch.url,
    Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`key-${n}`, n])),
  );
  const { page } = await visit({ viewport: { width: 375, height: 700 } });
  await page.goto(`${perch.url}/edit${store.path}#k=${store.ownerToken}`);
  const row = page.locator('.pair-row').last();
  await row.locator('summary').click();
  await row.locator('textarea').fill('100');
  await row.locator('button:not([data-action])').click();
  await page.waitForSelector('#pairs-said:not([hidden])');
  expect(await isInSight(page, '#pairs-said')).toBe(true);
  await row.locator('textarea').fill('{');
  await row.locator('button:not([data-action])').click();
  await page.waitForSelector('#pairs-fault:focus');
  expect(await isInSight(page, '#pairs-fault')).toBe(true);
  expect(await isInSight(page, '.pair-row:last-child textarea')).toBe(true);
});

test('a key of another direction of writing stands before its size', async () => {
  const store = await createStore(perch.url, { שלום: 1 });
  const { page } = await visit();
  await page.goto(`${perch.url}/edit${store.path}#k=${store.ownerToken}`);
  const [key, size] = [
    await page.locator('.pair-key').boundingBox(),
    await page.locator('.pair-size').boundingBox(),
  ];
  if (key === null || size === null) throw new Error('the key is not to be seen');
  expect(size.x).toBeGreaterThanOrEqual(key.x + key.width);
});

test('who leaves with a new key that is not added is asked first', async () => {
  const store = await createStore(perch.url, { one: 1 });
  const { page } = await visit();
  await page.goto(`${perch.url}/edit${store.path}#k=${store.ownerToken}`);
  await page.fill('#new-value', 'half of it');
  await page.click('.site-nav a[href="/gallery"]');
  await answerDialog(page, 'leave', '');
  expect(await page.inputValue('#new-value')).toBe('half of it');
});

test('the editor of a store leads to the store and to its management', async () => {
  const store = await createStore(perch.url, { one: 1 });
  const { page, context, complaints } = await visit({ viewport: { width: 360, height: 740 } });
  await page.goto(`${perch.url}/edit${store.path}#k=${store.ownerToken}`);
  await page.waitForSelector('.pair-row');
  expect(await accessibilityFaults(page)).toEqual([]);
  const gap = await inPage<number>(
    page,
    "document.querySelector('.pair-list').getBoundingClientRect().top - document.querySelector('#edit-pairs > .row').getBoundingClientRect().bottom",
  );
  expect(gap).toBeGreaterThanOrEqual(8);
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    page.click('main a:text("Open"):visible'),
  ]);
  await opened.waitForURL(perch.url + store.path);
  await page.click('main a:text("Manage"):visible');
  await page.waitForURL(`**/manage${store.path}`);
  await page.waitForSelector('.owned');
  expect(complaints).toEqual([]);
});

test('files and sites are led to their management, where they are replaced or deleted', async () => {
  const form = new FormData();
  form.append('file', new File(['a,b\n'], 'table.csv', { type: 'text/csv' }));
  const created = await fetch(`${perch.url}/api/files`, { method: 'POST', headers: AGENT, body: form });
  const { namespace, id, ownerToken } = (await created.json()) as Published;
  const { page } = await visit();
  await page.goto(`${perch.url}/edit/${namespace}/${id}#k=${ownerToken}`);
  expect(await page.textContent('#edit-elsewhere')).toContain(
    'A site is replaced there by a ZIP; a file is deleted there and published anew.',
  );
  await page.click('#edit-elsewhere a');
  await page.waitForSelector('.owned');
  expect(await page.locator('[data-action=edit]').count()).toBe(0);
});
