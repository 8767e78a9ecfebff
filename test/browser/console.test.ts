import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startInstance } from '../instance.ts';
import { useRunning } from '../started.ts';
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

const PAGES = [
  ...['', '/reports', '/reports?by=item', '/publications', '/access', '/owners'],
  ...['/takedowns?network=127.0.0.0%2F8', '/blocklist', '/notifications', '/scans', '/limits'],
  '/audit',
];

/** By how many pixels the list of reports is wider than what is in sight of it. */
const REPORTS_BESIDE = `(() => {
  const list = document.querySelector('.console-table');
  return list.scrollWidth - list.clientWidth;
})()`;

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
    expect(await inPage<number>(page, REPORTS_BESIDE)).toBe(0);
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

test('who mistypes an address mends it in the form that is there once more', async () => {
  const { page } = await visit();
  await signIn(page, '/admin/blocklist');
  await page.fill('#ip', '203.0.113.0/244');
  await page.fill('#reason', 'Spam.');
  await page.selectOption('#duration', 'P7D');
  await page.click('button[value="block"]');
  await page.waitForSelector('.field:has(#f-ip) .field-error');
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await page.inputValue('#f-reason')).toBe('Spam.');
  await page.fill('#f-ip', '203.0.113.0/24');
  await page.click('button[value="block"]');
  await page.click('button[name="confirmed"]');
  await page.waitForSelector('.notice.good');
  expect(new URL(page.url()).pathname).toBe('/admin/blocklist');
  expect(await page.textContent('tbody')).toContain('203.0.113.0/24');
});

/** Texts of a page that a person sees or hears, but for codes and the names of languages. */
const TEXTS_OF = `(shown) => {
  const texts = [];
  for (const element of shown.body.querySelectorAll('*')) {
    if (element.closest('code, script, [lang]:not(html)') !== null) continue;
    for (const name of ['aria-label', 'title', 'placeholder']) texts.push(element.getAttribute(name) ?? '');
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
  }
  return [shown.title, ...texts].map((text) => text.trim()).filter((text) => /[a-z]{2}/i.test(text));
}`;

/** Texts of this page that it has in English, too. */
const NOT_TRANSLATED = `(async () => {
  const textsOf = ${TEXTS_OF};
  const headers = { Accept: 'text/html', 'Accept-Language': 'en' };
  const response = await fetch(location.href, { headers });
  const english = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (english.documentElement.lang !== 'en') throw new Error('the other page is not English');
  const known = new Set(textsOf(english));
  return [...new Set(textsOf(document))].filter((text) => known.has(text));
})()`;

/** Words that are the same in both languages, and names. */
const SAME = [
  ...['Client', 'Status', 'User-Agent', 'Version', 'JSON', 'API', 'GET', '4xx', '5xx', 'Perch', 'Scanner'],
  ...['gateway', 'content', 'kv', 'site', 'analytics'],
];

test('a German operator reads German on every page of the console', async () => {
  const item = await publish(perch.url, '<!doctype html><title>Eine Seite</title><p>Text');
  const { page: reader } = await visit();
  await report(reader, item.path);
  const blocked = await fetch(`${perch.url}/api/admin/blocklist`, {
    method: 'POST',
    body: JSON.stringify({ ip: '203.0.113.7', reason: 'Unsinn', duration: 'P7D' }),
    headers: { 'X-Admin-Password': PASSWORD, 'Content-Type': 'application/json', 'User-Agent': 'Tests/1' },
  });
  expect(blocked.status).toBe(201);

  const names = [
    ...SAME,
    'Eine Seite',
    'Unsinn',
    'Spam.',
    'It asks for the password of my bank.',
    'A page to see',
    'Phishing.',
    'Bank',
  ];
  const { page, complaints } = await visit({ locale: 'de-DE', viewport: { width: 1280, height: 800 } });
  const leftovers = async (): Promise<string[]> =>
    (await inPage<string[]>(page, NOT_TRANSLATED)).filter(
      (text) => !names.includes(text) && !/^\S*\/\S*$|^Mozilla\/|^[\d.,]+ (?:[KMGT]B|ms)$/.test(text),
    );
  const found: Array<[path: string, texts: string[]]> = [];
  await page.goto(`${perch.url}/admin`);
  found.push(['sign-in', await leftovers()]);
  await signIn(page);
  for (const path of [...PAGES, '/blocklist?all=1', '/access?live=1', '/reports?status=']) {
    await page.goto(`${perch.url}/admin${path}`);
    expect(await page.getAttribute('html', 'lang')).toBe('de');
    found.push([path, await leftovers()]);
  }
  await page.click(`a:text("${item.path.slice(1)}")`);
  await page.waitForSelector('.console-frame');
  found.push(['a report', await leftovers()]);
  expect(found.filter(([, texts]) => texts.length > 0)).toEqual([]);
  await page.click('button[value="take-down"]');
  await page.waitForSelector('button[name="confirmed"]');
  expect(await page.textContent('h1')).toBe('Bist du sicher?');
  expect(await page.textContent('main')).toContain(`${item.path.slice(1)} entfernen.`);
  await page.click('button[name="confirmed"]');
  expect(await page.textContent('.notice.good')).toBe('Der Eintrag ist entfernt. Die Meldung ist vermerkt.');

  await page.goto(`${perch.url}/admin/access?live=1`);
  await page.waitForSelector('#live-state:has-text("zuletzt aktualisiert")');
  await page.click('footer button[data-language="en"]');
  await page.waitForSelector('html[lang="en"]');
  expect(await page.textContent('h1')).toBe('Access log');
  expect(complaints.filter((text) => !/status of 401/.test(text))).toEqual([]);
});
