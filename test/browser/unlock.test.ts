import { expect, test } from 'bun:test';
import { until } from '../faults/waiting.ts';
import { sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { inPage, useBrowser } from './browser.ts';
import { publish } from './publish.ts';

const visit = useBrowser();
const perch = useStarted(() => sharedInstance('embedded'));

const PASSWORD = 'right one';
const protectedPage = (text: string) =>
  publish(perch.url, `<!doctype html><title>Locked</title><p id="text">${text}</p>`, { password: PASSWORD });

test('a protected page asks for its password and opens with the right one', async () => {
  const item = await protectedPage('behind the lock');
  const { page, context } = await visit();

  const first = await page.goto(item.url);
  expect(first?.status()).toBe(403);
  expect(await page.locator('label[for=password]').count()).toBe(1);
  // The browser sets the focus when it first draws the page.
  await until('the field has the focus', () =>
    inPage<boolean>(page, "document.activeElement.id === 'password'"),
  );

  await page.fill('#password', 'wrong one');
  const [refused] = await Promise.all([
    page.waitForResponse((answer) => answer.request().isNavigationRequest()),
    page.click('button[type=submit]'),
  ]);
  expect(refused.status()).toBe(303);
  await page.waitForSelector('#password-error');
  expect(page.url()).toBe(item.url);
  expect(await page.getAttribute('#password', 'aria-invalid')).toBe('true');

  await page.fill('#password', PASSWORD);
  await page.click('button[type=submit]');
  expect(await page.textContent('#text')).toBe('behind the lock');
  expect(page.url()).toBe(item.url);

  const cookies = await context.cookies(item.url);
  const [cookie, ...others] = cookies.filter(({ name }) => name !== 'perch_unlock_issue');
  expect(others).toEqual([]);
  expect(cookie).toMatchObject({ path: item.path, httpOnly: true, sameSite: 'Lax' });
  expect((cookie?.expires ?? 0) - Date.now() / 1000).toBeLessThanOrEqual(3600);
  expect(await context.cookies(`${perch.url}/`)).toEqual([]);

  await page.reload();
  expect(await page.textContent('#text')).toBe('behind the lock');
});

test('one open page opens no other', async () => {
  const [open, other] = [await protectedPage('the open one'), await protectedPage('the other one')];
  const { page, context } = await visit();
  await page.goto(open.url);
  await page.fill('#password', PASSWORD);
  await page.click('button[type=submit]');
  await page.waitForSelector('#text');
  const [cookie] = await context.cookies(open.url);
  if (cookie === undefined) throw new Error('no cookie');

  expect((await page.goto(other.url))?.status()).toBe(403);
  await context.addCookies([{ ...cookie, path: other.path }]);
  expect((await page.goto(other.url))?.status()).toBe(403);
  expect(await page.locator('#text').count()).toBe(0);
});

test('an address that does not exist does not ask for a password', async () => {
  const { page } = await visit();
  expect((await page.goto(`${perch.url}/public/nothing-here`))?.status()).toBe(404);
  expect(await page.locator('#password').count()).toBe(0);
});

test('after ten wrong passwords even the right one has to wait', async () => {
  const item = await protectedPage('guarded');
  const { page } = await visit();
  const submit = async (password: string): Promise<number> => {
    await page.goto(item.url);
    await page.fill('#password', password);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().isNavigationRequest()),
      page.click('button[type=submit]'),
    ]);
    await page.waitForLoadState();
    return answer.status();
  };
  for (let attempt = 1; attempt <= 10; attempt++) expect(await submit(`guess ${attempt}`)).toBe(303);
  for (const password of ['guess 11', PASSWORD]) {
    expect(await submit(password)).toBe(303);
    expect(await page.textContent('#password-error')).toContain('Try again in 15 minutes');
    expect(page.url()).toBe(item.url);
  }
});
