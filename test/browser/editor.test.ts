import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { until } from '../faults/waiting.ts';
import { sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { accessibilityFaults } from './accessibility.ts';
import { inPage, useBrowser } from './browser.ts';
import { answerDialog, editor, openEditor, said, write } from './edit-page.ts';
import { openForm, publishForm, RESULT, refuseForm } from './home-form.ts';
import { type Published, publish } from './publish.ts';

const visit = useBrowser();
const perch = useStarted(() => sharedInstance());

const AGENT = { 'User-Agent': 'PerchTests/1' };

const source = async ({ path, ownerToken }: Published): Promise<string> => {
  const response = await fetch(`${perch.url}/api/html${path}/source`, {
    headers: { ...AGENT, 'X-Owner-Token': ownerToken },
  });
  return ((await response.json()) as { content: string }).content;
};

const preview = (page: Page) => page.frameLocator('.editing-preview iframe');

test('a person publishes, closes the browser, comes back, edits with a preview, and everybody sees the change', async () => {
  const first = await visit();
  await openForm(first.page, perch.url, 'page');
  await first.page.fill('#content', '# Tomatoes\n\nPlant in May.\n');
  const { url } = await publishForm(first.page);
  const storageState = await first.context.storageState({ indexedDB: true });
  await first.context.close();

  const later = await visit({ storageState });
  await later.page.goto(`${perch.url}/mine`);
  await later.page.click('.owned [data-action=edit]');
  await editor(later.page).waitFor();
  await preview(later.page).locator('h1:has-text("Tomatoes")').waitFor();
  await write(later.page, '# Tomatoes\n\nPlant in **June**.\n');
  await preview(later.page).locator('strong:has-text("June")').waitFor();
  await said(later.page, 'Not saved yet');
  await later.page.keyboard.press('Control+s');
  await said(later.page, 'Saved at');

  const reader = await visit();
  await reader.page.goto(url);
  expect(await reader.page.textContent('strong')).toBe('June');
  const views = (await fetch(`${perch.url}/api/html${new URL(url).pathname}`, { headers: AGENT })).headers;
  // The reader's own: neither edits nor previews count.
  expect(views.get('X-Views')).toBe('1');
  expect([...first.complaints, ...later.complaints, ...reader.complaints]).toEqual([]);
});

test('two people who edit one page do not overwrite each other unawares', async () => {
  const item = await publish(perch.url, '<h1>One</h1>');
  const [one, other] = [await openEditor(visit, item), await openEditor(visit, item)];
  await write(one.page, '<h1>From one</h1>');
  await one.page.click('#edit-save');
  await said(one.page, 'Saved at');

  await write(other.page, '<h1>From the other</h1>');
  await other.page.click('#edit-save');
  await other.page.waitForSelector('#conflict-dialog[open]');
  await other.page.click('#conflict-theirs summary');
  expect(await other.page.textContent('#conflict-theirs pre')).toBe('<h1>From one</h1>');
  expect(await accessibilityFaults(other.page)).toEqual([]);
  await answerDialog(other.page, 'conflict', '');
  await said(other.page, 'not saved');
  expect(await source(item)).toBe('<h1>From one</h1>');

  await other.page.click('#edit-save');
  await answerDialog(other.page, 'conflict', 'overwrite');
  await said(other.page, 'Saved at');
  expect(await source(item)).toBe('<h1>From the other</h1>');

  await write(one.page, '<h1>Once more</h1>');
  await one.page.click('#edit-save');
  await answerDialog(one.page, 'conflict', 'theirs');
  await said(one.page, 'Undo brings your text back');
  expect(await one.page.inputValue('#content')).toBe('<h1>From the other</h1>');
  await one.page.keyboard.press('Control+z');
  expect(await one.page.inputValue('#content')).toBe('<h1>Once more</h1>');
  // Chromium itself notes each 412.
  expect([...one.complaints, ...other.complaints].filter((text) => !/status of 412/.test(text))).toEqual([]);
});

test('the button that saves keeps the focus, and saves once at a time', async () => {
  const item = await publish(perch.url, '# One', { type: 'text/markdown' });
  const { page } = await openEditor(visit, item);
  let saves = 0;
  const held = Promise.withResolvers<void>();
  await page.route('**/api/html/**', async (route) => {
    if (route.request().method() !== 'PUT') return await route.fallback();
    saves += 1;
    await held.promise;
    await route.continue();
  });
  await write(page, '# Two');
  await page.locator('#edit-save').press('Enter');
  await page.waitForSelector('#edit-save[aria-disabled=true]:focus');
  await page.keyboard.press('Enter');
  held.resolve();
  await said(page, 'Saved at');
  await page.waitForSelector('#edit-save[aria-disabled=false]:focus');
  expect(saves).toBe(1);
});

test('who leaves with changes is asked first, in words of the page and by the browser', async () => {
  const item = await publish(perch.url, '# Kept', { type: 'text/markdown' });
  const { page } = await openEditor(visit, item);
  await page.click('.site-nav a[href="/gallery"]');
  await page.waitForURL('**/gallery');

  await page.goto(`${perch.url}/edit${item.path}`);
  await write(page, '# Changed');
  await page.click('.site-nav a[href="/gallery"]');
  await answerDialog(page, 'leave', '');
  expect(await page.inputValue('#content')).toBe('# Changed');

  // Every visitor answers "stay": see `browser.ts`.
  const dialog = page.waitForEvent('dialog');
  await inPage(page, 'setTimeout(() => location.reload())');
  expect((await dialog).type()).toBe('beforeunload');
  expect(await page.inputValue('#content')).toBe('# Changed');

  await page.click('.site-nav a[href="/gallery"]');
  await answerDialog(page, 'leave', 'ok');
  await page.waitForURL('**/gallery');
  expect(await source(item)).toBe('# Kept');
});

test('who switches the language with changes is asked first, and keeps theirs on second thoughts', async () => {
  const item = await publish(perch.url, '# Kept', { type: 'text/markdown' });
  const { page, context, complaints } = await openEditor(visit, item);
  await write(page, '# Changed');
  await page.click('button[data-language=de]');
  // A dialog of the browser would be a complaint.
  await until('it asks', async () => complaints.length > 0 || (await page.isVisible('#leave-dialog')));
  expect(complaints).toEqual([]);
  await answerDialog(page, 'leave', '');
  expect(await context.cookies()).toEqual([]);
  expect(await page.inputValue('#content')).toBe('# Changed');

  await page.click('button[data-language=de]');
  await answerDialog(page, 'leave', 'ok');
  await page.waitForSelector('html[lang=de]');
  expect(complaints).toEqual([]);
});

test('a page that a browser shows again as it was left asks once more', async () => {
  const item = await publish(perch.url, '# Kept', { type: 'text/markdown' });
  const { page } = await openEditor(visit, item);
  await write(page, '# Changed');
  // The page stays, as one does that a browser keeps; these browsers keep none.
  await page.route('**/gallery', (route) => route.fulfill({ status: 204 }));
  const answered = page.waitForResponse('**/gallery');
  await page.click('.site-nav a[href="/gallery"]');
  await answerDialog(page, 'leave', 'ok');
  await answered;
  await inPage(page, "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
  const dialog = page.waitForEvent('dialog');
  await inPage(page, 'setTimeout(() => location.reload())');
  expect((await dialog).type()).toBe('beforeunload');
});

test('a preview that failed is made when it is asked for once more, and not before', async () => {
  const item = await publish(perch.url, '# Heading', { type: 'text/markdown' });
  const { page, context } = await visit();
  let asked = 0;
  await context.route('**/api/preview*', async (route) => {
    asked += 1;
    await route.abort();
  });
  await page.goto(`${perch.url}/edit${item.path}#k=${item.ownerToken}`);
  await page.waitForSelector('.editing-said:not([hidden])');
  await page.waitForTimeout(1_000);
  expect(asked).toBe(1);
  await context.unroute('**/api/preview*');
  await page.click('.editing-views [data-view=preview]');
  await preview(page).locator('h1:has-text("Heading")').waitFor();
});

test('a preview that failed is made once the server is reached again, with no need to type', async () => {
  const item = await publish(perch.url, '# One', { type: 'text/markdown' });
  const { page, context } = await openEditor(visit, item);
  await preview(page).locator('h1:has-text("One")').waitFor();
  const failed = page.locator('.editing-said:has-text("cannot be reached")');
  await context.setOffline(true);
  await write(page, '# Two');
  await failed.waitFor();
  await context.setOffline(false);
  await preview(page).locator('h1:has-text("Two")').waitFor();
  await failed.waitFor({ state: 'hidden' });

  // Without a word of the browser: the server was away.
  await context.route('**/api/preview*', (route) => route.abort());
  await write(page, '# Three');
  await failed.waitFor();
  await context.unroute('**/api/preview*');
  await page.click('#edit-save');
  await said(page, 'Saved at');
  await preview(page).locator('h1:has-text("Three")').waitFor();
  await failed.waitFor({ state: 'hidden' });
});

test('scripts of a page run in its preview without an origin, and see neither the page nor the token', async () => {
  const probe = `<p id="out">waiting</p><script>
    const seen = {};
    const attempt = (name, work) => { try { seen[name] = String(work()); } catch { seen[name] = 'denied'; } };
    attempt('origin', () => origin);
    attempt('parent', () => parent.document.title);
    attempt('top', () => top.document.title);
    attempt('storage', () => sessionStorage.length);
    attempt('database', () => indexedDB.open('perch'));
    attempt('cookie', () => document.cookie);
    attempt('address', () => top.location.href);
    attempt('leave', () => { top.location = 'about:blank'; });
    document.getElementById('out').textContent = JSON.stringify(seen);
  </script>`;
  const item = await publish(perch.url, probe);
  const { page } = await openEditor(visit, item);
  const out = page.frameLocator('.editing-preview iframe').frameLocator('iframe').locator('#out');
  await out.filter({ hasText: 'origin' }).waitFor();
  const seen = JSON.parse((await out.textContent()) ?? '{}') as Record<string, string>;
  expect(seen.origin).toBe('null');
  for (const name of ['parent', 'top', 'storage', 'database', 'cookie', 'address', 'leave'])
    expect([name, seen[name]]).toEqual([name, 'denied']);
  expect(page.url()).toBe(`${perch.url}/edit${item.path}`);
});

test('a link in a preview opens elsewhere, and the draft is shown to nobody', async () => {
  const item = await publish(perch.url, `# A\n\n[out](${perch.url}/stats)\n`, { type: 'text/markdown' });
  const { page, context } = await openEditor(visit, item);
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    preview(page).locator('a:has-text("out")').click(),
  ]);
  await opened.waitForURL(`${perch.url}/stats`);
  await write(page, '# B');
  await preview(page).locator('h1:has-text("B")').waitFor();
});

test('the home page loads the editor when somebody writes, and previews what will be published', async () => {
  const { page, complaints } = await visit();
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  await page.goto(`${perch.url}/`, { waitUntil: 'networkidle' });
  expect(loaded.filter((url) => url.includes('code-editor'))).toEqual([]);
  await page.click('#content');
  await editor(page).waitFor();
  await page.keyboard.insertText('# Draft\n\n- [x] done\n');
  await page.click('.editing-views [data-view=both]');
  await preview(page).locator('h1:has-text("Draft")').waitFor();
  await page.selectOption('#format', 'TEXT');
  await preview(page).locator('code:has-text("# Draft")').waitFor();
  await page.selectOption('#format', 'MARKDOWN');

  await page.click('.site-nav a[href="/gallery"]');
  await answerDialog(page, 'leave', '');
  const { url } = await publishForm(page);
  expect(await page.locator(`${RESULT} .result-edit`).getAttribute('href')).toBe(
    `/edit${new URL(url).pathname}`,
  );
  await page.click(`${RESULT} .result-edit`);
  await editor(page).filter({ hasText: 'Draft' }).waitFor();
  expect(complaints).toEqual([]);
});

test('an empty text is refused in words of the page, where the editor has replaced its field', async () => {
  const { page } = await visit();
  for (const [kind, field] of [
    ['page', '#content'],
    ['json', '#document'],
  ] as const) {
    await openForm(page, perch.url, kind);
    await page.click(field);
    await page.locator(`.editing:has(${field}) .cm-content`).waitFor();
    expect(await refuseForm(page)).toBe('Write something first.');
  }
  const item = await publish(perch.url, '# Kept', { type: 'text/markdown' });
  const { page: edited } = await openEditor(visit, item);
  await write(edited, ' ');
  await edited.click('#edit-save');
  await edited.waitForSelector('#edit-fault:has-text("Write something first.")');
  expect(await inPage<string>(edited, 'document.activeElement.id')).toBe('edit-fault');
  expect(await source(item)).toBe('# Kept');
});

test('without the editor the plain field does its work', async () => {
  const item = await publish(perch.url, 'plain', { type: 'text/plain' });
  const { page, context } = await visit();
  await context.route('**/assets/code-editor*', (route) => route.abort());
  await page.goto(`${perch.url}/edit${item.path}#k=${item.ownerToken}`);
  await page.fill('#content', 'still edited');
  await page.click('#edit-save');
  await said(page, 'Saved at');
  expect(await source(item)).toBe('still edited');
});

test('the editor is sound on a desk and on a phone, where it shows one thing at a time', async () => {
  const item = await publish(perch.url, '# Heading\n\nA [link](https://example.com) and `code`.\n', {
    type: 'text/markdown',
  });
  const phone = await openEditor(visit, item, { viewport: { width: 360, height: 740 } });
  expect(await accessibilityFaults(phone.page)).toEqual([]);
  expect(await phone.page.locator('.editing-preview').isVisible()).toBe(false);
  await phone.page.click('.editing-views [data-view=preview]');
  await preview(phone.page).locator('h1').waitFor();
  expect(await phone.page.locator('.editing-source').isVisible()).toBe(false);
  expect(await accessibilityFaults(phone.page)).toEqual([]);

  const desk = await openEditor(visit, item, { viewport: { width: 1280, height: 800 } });
  await preview(desk.page).locator('h1').waitFor();
  await editor(desk.page).click();
  await desk.page.keyboard.press('Control+f');
  await desk.page.locator('.cm-search').waitFor();
  expect(await accessibilityFaults(desk.page)).toEqual([]);
  await desk.page.keyboard.press('Escape');
  await editor(desk.page).press('Tab');
  await until('Tab leaves the editor', () =>
    inPage<boolean>(desk.page, "!document.activeElement.matches('.code-editor')"),
  );
  expect([...phone.complaints, ...desk.complaints]).toEqual([]);
});
