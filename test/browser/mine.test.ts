import { expect, test } from 'bun:test';
import { strToU8, zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { accessibilityFaults } from './accessibility.ts';
import { inPage, isInSight, useBrowser, type Visitor } from './browser.ts';
import { openForm, publishForm, RESULT } from './home-form.ts';
import { publish } from './publish.ts';
import { uploadSite } from './uploads.ts';

const visit = useBrowser();
const perch = useStarted(() => sharedInstance());

const AGENT = { 'User-Agent': 'PerchTests/1' };
const statusOf = async (url: string): Promise<number> => (await fetch(url, { headers: AGENT })).status;

/** Publishes a page with the form of the home page. */
async function publishPage(page: Page, title: string): Promise<{ url: string; token: string }> {
  await openForm(page, perch.url, 'page');
  await page.fill('#content', `Text of ${title}, ${crypto.randomUUID()}`);
  await page.fill('#title', title);
  return await publishForm(page);
}

const action = (page: Page, name: string) => page.locator(`.owned [data-action=${name}]`);
const confirm = (page: Page, dialog: string) => page.click(`#${dialog}-dialog button[value=ok]`);

/** Closes a visitor's browser, and opens it again with what it keeps. */
async function comeBack({ context }: Visitor): Promise<Visitor> {
  const storageState = await context.storageState({ indexedDB: true });
  await context.close();
  return await visit({ storageState });
}

test('a person comes back later, renews what they published, shares it with their phone, and deletes it there', async () => {
  const first = await visit();
  const { url, token } = await publishPage(first.page, 'Tomatoes');
  expect(await first.page.locator(`${RESULT} .result-kept`).isVisible()).toBe(true);

  const later = await comeBack(first);
  await later.page.goto(`${perch.url}/mine`);
  await later.page.waitForSelector('.owned-title:has-text("Tomatoes")');
  expect(await later.page.getAttribute('.owned-title', 'href')).toBe(url);
  expect(await later.page.textContent('.owned-expiry')).toContain('in 15 days');

  await action(later.page, 'renew').click();
  await later.page.selectOption('#renew-days', '1');
  await confirm(later.page, 'renew');
  await later.page.waitForSelector('#mine-said:has-text("is renewed")');
  expect(await later.page.getAttribute('.owned-expiry', 'class')).toContain('last-day');
  const settings = await fetch(`${perch.url}/api/html${new URL(url).pathname}/settings`, {
    headers: { ...AGENT, 'X-Owner-Token': token },
  });
  expect(await settings.json()).toMatchObject({ ttlDays: 1 });

  await action(later.page, 'link').click();
  const link = (await later.page.textContent('.link-text')) ?? '';
  expect(link).toStartWith(`${perch.url}/manage${new URL(url).pathname}#k=`);
  await later.page.keyboard.press('Escape');

  const phone = await visit({ viewport: { width: 360, height: 700 } });
  await phone.page.goto(link);
  await phone.page.waitForSelector('.owned-title:has-text("Tomatoes")');
  expect(phone.page.url()).not.toContain('#');
  expect(await accessibilityFaults(phone.page)).toEqual([]);
  await phone.page.reload();
  await phone.page.locator('#manage-keep button').press('Enter');
  await phone.page.waitForSelector('#manage-said:focus');
  expect(await phone.page.textContent('#manage-said')).toContain('The token is kept');
  await action(phone.page, 'remove').click();
  await confirm(phone.page, 'remove');
  await phone.page.waitForSelector('#manage-said:has-text("is deleted")');
  expect(await inPage<string>(phone.page, 'document.activeElement.id')).toBe('manage-said');
  expect(await statusOf(url)).toBe(410);

  await later.page.reload();
  await later.page.waitForSelector('#mine-empty:not([hidden])');
  expect([...later.complaints, ...phone.complaints]).toEqual([]);
});

test('all that a browser publishes has one token, which it sends as a header and nowhere else', async () => {
  const { page } = await visit();
  const sent: string[] = [];
  const headers: string[] = [];
  page.on('request', (request) => {
    sent.push(request.url(), request.postData() ?? '');
    headers.push(request.headers()['x-owner-token'] ?? '');
  });
  const one = await publishPage(page, 'One');
  const two = await publishPage(page, 'Two');
  expect(two.token).toBe(one.token);
  await page.goto(`${perch.url}/mine`);
  await page.waitForSelector('.owned:nth-child(2)');
  expect(await page.locator('.owned-title').allTextContents()).toEqual(['Two', 'One']);
  expect(headers).toContain(one.token);
  expect(sent.filter((text) => text.includes(one.token))).toEqual([]);
});

test('a token that comes by a link is added when the reader agrees, and does not get what they publish', async () => {
  const strange = await publish(perch.url, '<title>Strange</title>');
  const { page } = await visit();
  const link = `${perch.url}/mine#token=${strange.ownerToken}`;
  await page.goto(link);
  await page.click('#add-dialog button[value=""]');
  await page.waitForSelector('#mine-empty:not([hidden])');
  expect(page.url()).toBe(`${perch.url}/mine`);

  await page.goto('about:blank');
  await page.goto(link);
  await confirm(page, 'add');
  await page.waitForSelector('.owned-title:has-text("Strange")');
  const { token } = await publishPage(page, 'Mine');
  expect(token).not.toBe(strange.ownerToken);
  await page.goto(`${perch.url}/mine`);
  await page.waitForSelector('.token:nth-child(2)');
  expect(await page.locator('.token-publishing:visible').count()).toBe(1);
});

test('tokens are saved as a file, and added from it in another browser', async () => {
  const [one, other] = [await visit({ acceptDownloads: true }), await visit()];
  const { token } = await publishPage(one.page, 'Saved');
  await one.page.goto(`${perch.url}/mine`);
  const [saved] = await Promise.all([one.page.waitForEvent('download'), one.page.click('#token-save')]);
  const path = await saved.path();
  expect(await Bun.file(path).json()).toMatchObject({ perch: 'owner tokens', tokens: [token] });

  await other.page.goto(`${perch.url}/mine`);
  await other.page.setInputFiles('#token-file', path);
  await other.page.waitForSelector('.owned-title:has-text("Saved")');
  await other.page.click('.token [data-action=forget]');
  await confirm(other.page, 'forget');
  await other.page.waitForSelector('#no-tokens:not([hidden])');
  expect(await other.page.locator('.owned').count()).toBe(0);
  expect([...one.complaints, ...other.complaints]).toEqual([]);
});

test('a token of any characters is typed in, saved, added from its file, and opens its items', async () => {
  const token = `früh 🌱 ${crypto.randomUUID()}`;
  const item = await publish(perch.url, '<title>Early</title>', { query: { token } });
  const [one, other] = [await visit({ acceptDownloads: true }), await visit()];
  await one.page.goto(`${perch.url}/mine`);
  await one.page.fill('#token-new', token);
  await one.page.click('#token-form button');
  await one.page.waitForSelector('.owned-title:has-text("Early")');
  const [saved] = await Promise.all([one.page.waitForEvent('download'), one.page.click('#token-save')]);
  await one.page.click('.token [data-action=use]');
  await one.page.waitForSelector('.token-publishing:not([hidden])');
  expect((await publishPage(one.page, 'Later')).token).toBe(token);

  await other.page.goto(`${perch.url}/mine`);
  await other.page.setInputFiles('#token-file', await saved.path());
  await other.page.waitForSelector('.owned:nth-child(2)');
  expect(await other.page.locator('.owned-title').allTextContents()).toEqual(['Later', 'Early']);
  await other.page.goto(`${perch.url}/manage${item.path}`);
  await other.page.waitForSelector('.owned-title:has-text("Early")');
  expect([...one.complaints, ...other.complaints]).toEqual([]);
});

test('the owner downloads a protected page without its password', async () => {
  const { page } = await visit({ acceptDownloads: true });
  await openForm(page, perch.url, 'page');
  await page.fill('#content', 'behind the lock');
  await page.fill('#password', 'a secret');
  await publishForm(page);
  await page.goto(`${perch.url}/mine`);
  await page.waitForSelector('.owned-protected:not([hidden])');
  const [saved] = await Promise.all([page.waitForEvent('download'), action(page, 'download').click()]);
  expect(saved.suggestedFilename()).toEndWith('.md');
  expect(await Bun.file(await saved.path()).text()).toBe('behind the lock');
});

test('the owner of a site replaces it by a ZIP, and of other kinds there is nothing to replace', async () => {
  const site = await uploadSite(
    perch.url,
    { 'index.html': '<title>First</title>' },
    { password: 'a secret' },
  );
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/manage${site.path}#k=${site.ownerToken}`);
  await page.waitForSelector('.owned-title:has-text("First")');
  const replaceBy = async (name: string, buffer: Buffer) => {
    const choosing = page.waitForEvent('filechooser');
    await action(page, 'replace').click();
    await (await choosing).setFiles({ name, mimeType: 'application/zip', buffer });
  };
  await replaceBy('none.zip', Buffer.from('no archive'));
  await page.waitForSelector('#manage-fault:has-text("ZIP")');
  const archive = zipSync({ 'index.html': strToU8('<title>Second</title>'), 'b.txt': strToU8('more') });
  await replaceBy('second.zip', Buffer.from(archive));
  await page.waitForSelector('#manage-said:has-text("“Second” is replaced.")');
  expect(await page.textContent('.owned-title')).toBe('Second');
  expect(await page.locator('#manage-fault').isVisible()).toBe(false);
  expect(await inPage<string>(page, 'document.activeElement.dataset.action')).toBe('replace');
  const file = await fetch(`${site.url}/b.txt`, { headers: { ...AGENT, 'X-Password': 'a secret' } });
  expect(await file.text()).toBe('more');
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);

  // The list of items, which tells of the new site, cannot be had.
  for (const status of [503, 404]) {
    await page.route('**/api/owner/items*', (route) => route.fulfill({ status, body: '{}' }));
    const third = zipSync({ 'index.html': strToU8(`<title>Third, ${status}</title>`) });
    await replaceBy('third.zip', Buffer.from(third));
    await page.waitForSelector('#manage-said:has-text("“Second” is replaced.")');
    expect(await page.locator('#manage-fault').isVisible()).toBe(false);
    expect(await page.textContent('.owned-title')).toBe('Second');
    const replaced = await fetch(site.url, { headers: { ...AGENT, 'X-Password': 'a secret' } });
    expect(await replaced.text()).toContain(`Third, ${status}`);
    await page.unroute('**/api/owner/items*');
  }

  const { path, ownerToken } = await publish(perch.url, '<title>Page</title>');
  await page.goto(`${perch.url}/manage${path}#k=${ownerToken}`);
  await page.waitForSelector('.owned-title:has-text("Page")');
  expect(await action(page, 'replace').count()).toBe(0);
});

test('a list that could not be had is not called empty', async () => {
  const { page } = await visit();
  await publishPage(page, 'Not to be had');
  await page.route('**/api/owner/items*', (route) => route.fulfill({ status: 503, body: '{}' }));
  await page.goto(`${perch.url}/mine`);
  await page.waitForSelector('#mine-fault:not([hidden])');
  await page.waitForSelector('.token');
  expect(await page.locator('#mine-empty').isVisible()).toBe(false);
});

test('a management page says when its token is wrong, and takes another', async () => {
  const item = await publish(perch.url, '<title>Asked</title>');
  const { page } = await visit();
  await page.goto(`${perch.url}/manage${item.path}#k=own_${'x'.repeat(40)}`);
  await page.waitForSelector('#manage-fault:has-text("does not own")');
  await page.fill('#manage-token', item.ownerToken);
  await page.click('#manage-ask button');
  await page.waitForSelector('.owned-title:has-text("Asked")');
  await page.goto(`${perch.url}/manage/public/never-published-here#k=${item.ownerToken}`);
  await page.waitForSelector('#manage-fault:has-text("no such item")');
});

/** Pixels between a notice and what is shown before and behind it. */
const gapsAround = (page: Page, notice: string): Promise<number[]> =>
  inPage(
    page,
    `(() => {
      const beside = (element, next) => {
        for (let other = element[next]; other !== null; other = other[next])
          if (other.getClientRects().length > 0) return other.getBoundingClientRect();
      };
      const notice = document.querySelector('${notice}');
      const { top, bottom } = notice.getBoundingClientRect();
      return [top - beside(notice, 'previousElementSibling').bottom, beside(notice, 'nextElementSibling').top - bottom];
    })()`,
  );

test('what came of something far down the list is said in sight of it', async () => {
  const { page } = await visit({ viewport: { width: 375, height: 700 } });
  const { token } = await publishPage(page, 'The oldest of many');
  for (let n = 0; n < 6; n++) {
    const headers = { ...AGENT, 'Content-Type': 'text/html', 'X-Owner-Token': token };
    const created = await fetch(`${perch.url}/api/html`, { method: 'POST', headers, body: `<p>${n}` });
    expect(created.status).toBe(201);
  }
  await page.goto(`${perch.url}/mine`);
  const renew = async (): Promise<void> => {
    await action(page, 'renew').last().click();
    await confirm(page, 'renew');
  };
  await renew();
  await page.waitForSelector('#mine-said:not([hidden])');
  expect(await isInSight(page, '#mine-said')).toBe(true);
  await page.route('**/renew?*', (route) => route.fulfill({ status: 503, body: '{}' }));
  await renew();
  await page.waitForSelector('#mine-fault:focus');
  expect(await isInSight(page, '#mine-fault')).toBe(true);
  expect(await isInSight(page, '.owned:last-child [data-action=renew]')).toBe(true);
});

test('notices stand apart from what is around them', async () => {
  const { page } = await visit();
  const { url } = await publishPage(page, 'Apart');
  await page.goto(`${perch.url}/mine`);
  await action(page, 'renew').click();
  await confirm(page, 'renew');
  await page.waitForSelector('#mine-said:not([hidden])');
  const found = [await gapsAround(page, '#mine-said')];
  const other = await visit();
  for (const name of ['manage', 'edit']) {
    await other.page.goto(`${perch.url}/${name}${new URL(url).pathname}#k=own_${'x'.repeat(40)}`);
    await other.page.waitForSelector(`#${name}-ask:not([hidden])`);
    found.push(await gapsAround(other.page, `#${name}-fault`));
  }
  for (const gaps of found) for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(12);
});

test('a management link outlives a check that fails, in the form and over a reload', async () => {
  const item = await publish(perch.url, '<title>Checked later</title>');
  const { page } = await visit();
  await page.route('**/owner-check', (route) => route.fulfill({ status: 503, body: '{}' }));
  await page.goto(`${perch.url}/manage${item.path}#k=${item.ownerToken}`);
  await page.waitForSelector('#manage-fault:not([hidden])');
  // Where a reload finds it.
  await page.waitForURL(`**/manage${item.path}#k=${item.ownerToken}`);
  expect(await page.locator('#manage-ask').isVisible()).toBe(true);
  expect(await page.inputValue('#manage-token')).toBe(item.ownerToken);
  await page.unroute('**/owner-check');
  await page.reload();
  await page.waitForSelector('.owned-title:has-text("Checked later")');
  expect(page.url()).not.toContain('#');
  expect(await page.locator('#manage-ask').isVisible()).toBe(false);

  // A wrong link does not make the tab forget the right token, also when it could not be checked at first.
  await page.goto('about:blank');
  await page.route('**/owner-check', (route) => route.fulfill({ status: 503, body: '{}' }));
  await page.goto(`${perch.url}/manage${item.path}#k=own_${'y'.repeat(40)}`);
  await page.waitForSelector('#manage-fault:not([hidden])');
  await page.unroute('**/owner-check');
  await page.reload();
  await page.waitForSelector('.owned-title:has-text("Checked later")');
  await page.goto('about:blank');
  await page.goto(`${perch.url}/manage${item.path}#k=own_${'x'.repeat(40)}`);
  await page.waitForSelector('.owned-title:has-text("Checked later")');
  await page.reload();
  await page.waitForSelector('.owned-title:has-text("Checked later")');
});

test('the pages of an owner are sound on a phone', async () => {
  const { page, complaints } = await visit({ viewport: { width: 360, height: 700 } });
  await publishPage(page, `A rather long title ${'of a page '.repeat(8)}`);
  for (const path of [
    '/mine',
    `/manage${new URL((await page.getAttribute(`${RESULT} .result-url`, 'href')) ?? '').pathname}`,
  ]) {
    await page.goto(`${perch.url}${path}`);
    await page.waitForSelector('.owned');
    expect([path, ...(await accessibilityFaults(page))]).toEqual([path]);
    await action(page, 'link').click();
    expect([path, ...(await accessibilityFaults(page))]).toEqual([path]);
    await page.goBack();
  }
  expect(complaints).toEqual([]);
});

test('a person chooses another language, and it stays', async () => {
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/`);
  await page.click('button[data-language=de]');
  await page.waitForSelector('html[lang=de]');
  await page.click('.site-nav a[href="/mine"]');
  await page.waitForSelector('h1:has-text("Meine Einträge")');
  expect(await inPage<string>(page, "document.querySelector('.site-nav [aria-current]').textContent")).toBe(
    'Meine Einträge',
  );
  expect(complaints).toEqual([]);
});
