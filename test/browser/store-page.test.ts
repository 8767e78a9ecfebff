import { beforeAll, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { inPage, START_LIMIT_MS, useBrowser, type Visitor } from './browser.ts';
import { sharedTwoHosts, type TwoHosts } from './two-hosts.ts';
import { createStore } from './uploads.ts';

const visit = useBrowser();
let perch: Instance;
let twoHosts: TwoHosts;

beforeAll(async () => {
  perch = await sharedInstance('embedded');
  twoHosts = await sharedTwoHosts();
}, START_LIMIT_MS);

const PASSWORD = 'open sesame';
const ATTACK = `</pre></td><img src=x onerror="document.title='ran'"><script>document.title='ran'</script>`;
const VALUES = {
  greeting: 'Grüße, 世界 🐦',
  count: 42,
  nothing: null,
  settings: { theme: 'dark', sizes: [1, 2, 3] },
  attack: ATTACK,
  // A key knows no slash.
  [ATTACK.replaceAll('/', '')]: 'key',
  'a b?c=d#e%20&f': 'signs',
  schlüssel: 'unicode',
  long: 'word '.repeat(700),
  larger: 'x'.repeat(100_000),
};

interface Row {
  key: string;
  value: string;
  link: string;
}

const rows = (page: Page): Promise<Row[]> =>
  inPage(
    page,
    `[...document.querySelectorAll('.entries tbody tr')].map((row) => ({
      key: row.querySelector('th').textContent,
      value: row.querySelector('.entry-value').textContent,
      link: row.querySelector('th a').href,
    }))`,
  );

const expectNoComplaint = ({ complaints }: Visitor): void =>
  expect(complaints.filter((text) => !text.includes('status of 403'))).toEqual([]);

/** The table says what is in the store, and that only. */
async function expectTable(page: Page): Promise<Row[]> {
  const shown = await rows(page);
  expect(shown.map(({ key }) => key).sort()).toEqual(Object.keys(VALUES).sort());
  const valueAt = (key: string): string => shown.find((row) => row.key === key)?.value ?? '';
  for (const key of ['greeting', 'attack', 'a b?c=d#e%20&f', 'schlüssel'] as const)
    expect(valueAt(key)).toBe(String(VALUES[key]));
  expect(valueAt('count')).toBe('42');
  expect(valueAt('nothing')).toBe('null');
  expect(JSON.parse(valueAt('settings'))).toEqual(VALUES.settings);
  expect(valueAt('long')).toStartWith('word word ');
  expect(valueAt('larger')).toBe('Too large to show here.');
  expect(await page.title()).not.toBe('ran');
  expect(await page.locator('.entries img, .entries script').count()).toBe(0);
  return shown;
}

test('a browser shows the keys of a store, escaped, and each leads to its bare value', async () => {
  const store = await createStore(perch.url, VALUES);
  const visitor = await visit();
  const { page } = visitor;
  await page.goto(store.url);
  expect(await page.textContent('h1')).toBe(`${store.namespace}/${store.id}`);
  expect(await page.textContent('.item-facts')).toContain('10 keys');
  const shown = await expectTable(page);
  for (const { key, link } of shown.filter(({ key }) => key !== 'larger')) {
    const answer = await page.goto(link);
    const value: unknown = VALUES[key as keyof typeof VALUES];
    const isText = typeof value === 'string';
    expect(answer?.headers()['content-type']).toBe(isText ? 'text/plain; charset=utf-8' : 'application/json');
    expect(await answer?.text()).toBe(isText ? value : JSON.stringify(value));
    expect(await inPage<string>(page, 'window.origin')).toBe('null');
    expect(await page.title()).not.toBe('ran');
  }
  await page.goto(store.url);
  await page.getByRole('link', { name: 'a b?c=d#e%20&f' }).click();
  await page.waitForURL(/a%20b/);
  expect(await page.textContent('body')).toBe('signs');
  expectNoComplaint(visitor);
});

test('the keys of a store are seen raw and downloaded, also where it has a password, and by its owner', async () => {
  for (const options of [{}, { password: PASSWORD }]) {
    const store = await createStore(perch.url, { count: 1 }, options);
    const { page } = await visit();
    await page.goto(store.url);
    if (options.password !== undefined) {
      await page.fill('#password', options.password);
      await page.click('button[type=submit]');
    }
    const download = async (link: Locator) => {
      const [saved] = await Promise.all([page.waitForEvent('download'), link.click()]);
      expect(saved.suggestedFilename()).toBe(`${store.id}.json`);
      expect(await Bun.file(await saved.path()).json()).toMatchObject({ keys: ['count'] });
    };
    await download(page.getByRole('link', { name: 'Download' }));
    await page.getByRole('link', { name: 'Raw' }).click();
    await page.waitForURL(/raw=true/);
    expect(JSON.parse((await page.textContent('body')) ?? '')).toMatchObject({ keys: ['count'] });
    await page.goto(`${perch.url}/manage${store.path}#k=${store.ownerToken}`);
    await download(page.locator('.owned [data-action=download]'));
  }
});

test('a protected store and its keys open after the form', async () => {
  for (const { service, content } of [{ service: perch.url, content: perch.url }, twoHosts]) {
    const store = await createStore(service, VALUES, { password: PASSWORD });
    const visitor = await visit();
    const { page } = visitor;
    expect((await page.goto(store.url))?.status()).toBe(403);
    expect(await page.content()).not.toContain('greeting');
    await page.fill('#password', PASSWORD);
    await page.click('button[type=submit]');
    await page.waitForSelector('.entries');
    expect(page.url()).toBe(content + store.path);
    await expectTable(page);
    await page.getByRole('link', { name: 'greeting' }).click();
    await page.waitForURL(/greeting$/);
    expect(await page.textContent('body')).toBe(VALUES.greeting);
    await page.goBack();
    await page.getByRole('link', { name: 'Report', exact: true }).click();
    await page.waitForURL(/\/report/);
    expect(new URL(page.url()).origin).toBe(service);
    expectNoComplaint(visitor);
  }
});

test('the page fits a phone, in light and dark, whatever is in the store', async () => {
  const store = await createStore(perch.url, {
    ...VALUES,
    ['k'.repeat(256)]: 'y'.repeat(3000),
    deep: { a: { b: { c: ['z'.repeat(400)] } } },
  });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 1280]) {
      const visitor = await visit({ viewport: { width, height: 700 }, colorScheme });
      await visitor.page.goto(store.url);
      const page = visitor.page;
      expect(await inPage<number>(page, 'document.documentElement.scrollWidth')).toBe(width);
      const isDark = await inPage<boolean>(page, "matchMedia('(prefers-color-scheme: dark)').matches");
      expect(isDark).toBe(colorScheme === 'dark');
      const ink = await inPage<string>(page, 'getComputedStyle(document.body).color');
      expect(Number(/\d+/.exec(ink)?.[0]) > 128).toBe(isDark);
      expectNoComplaint(visitor);
    }
  }
});

test('a change is there at the next reload', async () => {
  const store = await createStore(perch.url, { status: 'waiting' });
  const { page } = await visit();
  await page.goto(store.url);
  expect((await rows(page)).map(({ value }) => value)).toEqual(['waiting']);
  const changed = await fetch(`${perch.url}/api/kv${store.path}/status`, {
    method: 'PUT',
    headers: {
      'User-Agent': 'PerchTests/1',
      'X-Owner-Token': store.ownerToken,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ value: 'done' }),
  });
  expect(changed.status).toBe(200);
  await page.reload();
  expect((await rows(page)).map(({ value }) => value)).toEqual(['done']);
  expect(await page.textContent('.entry-time')).toContain('version 2');
});
