import { beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';
import { type Published, publish } from './publish.ts';
import { sharedTwoHosts, type TwoHosts } from './two-hosts.ts';
import { createStore, uploadFile, uploadSite } from './uploads.ts';

const visit = useBrowser();
let perch: Instance;
let twoHosts: TwoHosts;

beforeAll(async () => {
  perch = await sharedInstance('embedded');
  twoHosts = await sharedTwoHosts();
}, START_LIMIT_MS);

const SECRET = 'the-protected-text';
const PASSWORD = 'open sesame';

/** A protected item of each kind that is not a page, and every address that gives its content. */
async function protectedItems(baseUrl: string): Promise<{ items: Published[]; addresses: string[] }> {
  const options = { password: PASSWORD };
  const file = await uploadFile(baseUrl, 'notes.txt', SECRET, options);
  const site = await uploadSite(baseUrl, { 'index.html': `<p>${SECRET}`, 'data.js': `'${SECRET}'` }, options);
  const store = await createStore(baseUrl, { key: SECRET }, options);
  const addresses = [
    ...[file.path, `${file.path}?raw=true`, `${file.path}?dl=true`, `/api/files${file.path}`],
    ...[site.path, `${site.path}/`, `${site.path}/data.js`, `/api/sites${site.path}`],
    `/api/sites${site.path}/files/index.html`,
    ...[store.path, `${store.path}/key`, `/api/kv${store.path}`, `/api/kv${store.path}/key`],
  ];
  return { items: [file, site, store], addresses };
}

/** A script that tries every way to every address, and returns those that gave anything. */
const attack = (addresses: string[]): string => `(async () => {
  const got = [];
  const note = (way, address, text) => { if (String(text).includes('${SECRET}')) got.push(way + ' ' + address); };
  const embed = (name, attributes) => new Promise((resolve) => {
    const part = Object.assign(document.createElement(name), attributes);
    part.onload = () => { part.hasLoaded = true; resolve(part); };
    part.onerror = () => resolve(null);
    setTimeout(resolve, 1500, part);
    document.body.append(part);
  });
  await Promise.all(${JSON.stringify(addresses)}.map(async (address) => {
    for (const credentials of ['include', 'same-origin', 'omit'])
      for (const mode of ['cors', 'no-cors'])
        await fetch(address, { credentials, mode }).then((answer) => answer.text(), () => '')
          .then((text) => note(credentials + ' ' + mode, address, text));
    for (const [name, attribute] of [['iframe', 'src'], ['object', 'data'], ['embed', 'src']]) {
      const part = await embed(name, { [attribute]: address });
      try { note(name, address, part.contentDocument.documentElement.outerHTML); } catch {}
    }
    const script = await embed('script', { src: address });
    if (script?.hasLoaded && address.endsWith('.js')) got.push('script ' + address);
  }));
  return got;
})()`;

async function unlockAll(page: Page, items: Published[]): Promise<void> {
  for (const { url } of items) {
    await page.goto(url);
    await page.fill('#password', PASSWORD);
    await Promise.all([page.waitForEvent('load'), page.click('button[type=submit]')]);
    expect(await page.locator('#password').count()).toBe(0);
    expect(await page.textContent('body')).toContain(SECRET);
  }
}

const HOSTILE = '<!doctype html><meta charset="utf-8"><title>Hostile</title><body>';

async function expectNothingGot(baseUrl: string): Promise<void> {
  const { items, addresses } = await protectedItems(baseUrl);
  const hosts = [
    (await publish(baseUrl, HOSTILE)).url,
    `${(await uploadFile(baseUrl, 'hostile.html', HOSTILE)).url}?raw=true`,
    `${(await uploadSite(baseUrl, { 'index.html': HOSTILE })).url}/`,
  ];
  const { page } = await visit();
  await unlockAll(page, items);
  for (const host of hosts) {
    await page.goto(host);
    expect(await page.title()).toBe('Hostile');
    expect(await inPage<string[]>(page, attack(addresses))).toEqual([]);
    for (const frame of page.frames()) expect(await frame.content()).not.toContain(SECRET);
  }
  await page.goto(items[0]?.url ?? '');
  expect(await page.textContent('body')).toContain(SECRET);
}

const HOSTS = {
  'on the one host': () => perch.url,
  'on a host of its own': () => twoHosts.service,
};

test.each(Object.entries(HOSTS))(
  'a hosted page, file or site %s reads nothing of what the person has unlocked',
  (_, url) => expectNothingGot(url()),
);
