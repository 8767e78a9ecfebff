import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startInstance } from '../instance.ts';
import { useRunning } from '../use-started.ts';
import { accessibilityFaults } from './accessibility.ts';
import { inPage, useBrowser } from './browser.ts';
import { publish } from './publish.ts';

const PASSWORD = 'the operator of this Perch';

const visit = useBrowser();
const perch = useRunning(() => startInstance({ joined: true, env: { ADMIN_PASSWORD: PASSWORD } }));

async function signIn(page: Page, path = '/admin'): Promise<void> {
  await page.goto(perch.url + path);
  await page.fill('#password', PASSWORD);
  await page.click('main button[type=submit]');
  await page.waitForSelector('.console');
}

async function report(page: Page, path: string): Promise<void> {
  await page.goto(`${perch.url}/report?item=${path.slice(1)}`);
  await page.selectOption('#category', 'phishing');
  await page.fill('#description', 'It asks for the password of my bank.');
  await page.click('main button[type=submit]');
  await page.waitForSelector('.facts');
}

for (const javaScriptEnabled of [true, false])
  test(`a page is reported, reviewed and taken down, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
    const item = await publish(
      perch.url,
      '<!doctype html><title>Bank</title><p id="seen">Your password?</p><script>document.title = "ran"</script>',
    );
    const { page: reader } = await visit({ javaScriptEnabled });
    await report(reader, item.path);

    const { page, context, complaints } = await visit({ javaScriptEnabled });
    await signIn(page, '/admin/reports');
    await page.click(`a:text("${item.path.slice(1)}")`);
    const frame = page.frameLocator('.console-frame');
    expect(await frame.locator('#seen').textContent()).toBe('Your password?');
    await page.fill('#note', 'Phishing.');
    await page.click('button[value="take-down"]');
    await page.click('button[name="confirmed"]');
    await page.waitForSelector('.notice.good');
    expect(await page.textContent('.notice.good')).toContain('The item is taken down.');
    expect(await page.textContent('main')).toContain('There is no item under this address any more.');
    expect((await reader.goto(item.url))?.status()).toBe(410);

    await page.click('.console-nav >> text=Audit trail');
    expect(await page.textContent('tbody')).toContain(item.path.slice(1));
    const cookies = await context.cookies([`${perch.url}/admin`, `${perch.url}/api/admin/audit`]);
    expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([
      [true, 'Strict'],
      [true, 'Strict'],
    ]);
    expect(await context.cookies(`${perch.url}/`)).toEqual([]);
    await page.click('text=Sign out everywhere');
    await page.waitForSelector('#password');
    // The browser itself notes the sign-in form's 401, and scripts that the sandbox stops.
    expect(complaints.filter((text) => !/status of 401|sandboxed/.test(text))).toEqual([]);
  });

const PAGES = ['', '/reports', '/publications', '/access', '/owners', '/blocklist', '/limits', '/audit'];

test('every page of the console is sound on a desk and on a phone', async () => {
  const item = await publish(perch.url, '<p>A page to see');
  const { page: reader } = await visit();
  await report(reader, item.path);
  const sizes = [
    { width: 1280, height: 800 },
    { width: 360, height: 700 },
  ];
  for (const viewport of sizes) {
    const { page, complaints } = await visit({ viewport });
    await page.goto(`${perch.url}/admin`);
    expect(await accessibilityFaults(page)).toEqual([]);
    await signIn(page);
    for (const path of PAGES) {
      await page.goto(`${perch.url}/admin${path}`);
      expect([path, ...(await accessibilityFaults(page))]).toEqual([path]);
    }
    await page.goto(`${perch.url}/admin/reports`);
    await page.click(`a:text("${item.path.slice(1)}")`);
    await page.waitForSelector('.console-frame');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.click('button[value="take-down"]');
    await page.waitForSelector('button[name="confirmed"]');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(complaints.filter((text) => !/status of 401/.test(text))).toEqual([]);
  }
});

test('the access log follows new requests, and its chart is filtered by a drag', async () => {
  const { page, complaints } = await visit({ viewport: { width: 1280, height: 900 } });
  await signIn(page, '/admin/access?path=/public/followed&live=1');
  await page.waitForSelector('text=No request passes this filter.');
  await fetch(`${perch.url}/public/followed`, { headers: { 'User-Agent': 'Follower/1.0' } });
  await page.waitForSelector('tbody th:has-text("GET /public/followed")');

  await page.click('text=Stop following');
  const bar = page.locator('.console-plot a').first();
  await bar.waitFor();
  const box = await page.locator('.console-plot').boundingBox();
  if (box === null) throw new Error('the chart is not to be seen');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, y, { steps: 5 });
  expect(await page.locator('.console-range').isVisible()).toBe(true);
  await page.mouse.move(box.x + box.width - 1, y, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL(/from=/);
  const { searchParams } = new URL(page.url());
  const hours =
    (Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')) / 3_600_000;
  expect(hours).toBeWithin(8, 16);
  expect(searchParams.get('path')).toBe('/public/followed');
  await page.waitForSelector('tbody th:has-text("GET /public/followed")');

  // A bar is a link, also by keyboard.
  await page.locator('.console-plot a').first().focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction('document.querySelectorAll(".console-plot a").length > 0');
  expect(await inPage<string>(page, 'location.search')).toContain('from=');
  expect(complaints.filter((text) => !/status of 401/.test(text))).toEqual([]);
});
