import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { SERVICE_ADDRESS, SERVICE_HOST } from '../acceptance/support/domains.ts';
import { startNameServer } from '../acceptance/support/name-server.ts';
import { startInstance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { accessibilityFaults } from './accessibility.ts';
import { inPage, launchBrowser, START_LIMIT_MS } from './browser.ts';
import { publish } from './publish.ts';
import { uploadSite } from './uploads.ts';

setDefaultTimeout(120_000);

const DOMAIN = 'www.own.example.org';
/** Another one: for some seconds a gateway takes a name that was given up for nobody's. */
const LOCKED_DOMAIN = 'locked.example.net';
const names = await startNameServer();
afterAll(() => names.stop());

const perch = useStarted(() => {
  names.setAddresses(SERVICE_HOST, SERVICE_ADDRESS);
  return startInstance({
    joined: true,
    env: { BASE_URL: `http://${SERVICE_HOST}`, CUSTOM_DOMAINS: 'true', DNS_SERVERS: names.address },
  });
});

const off = useStarted(() => sharedInstance());

/** Finds both names where the gateway listens. */
let browser: Browser;
beforeAll(async () => {
  const { host } = new URL(perch.url);
  const rules = [SERVICE_HOST, DOMAIN, LOCKED_DOMAIN].map((name) => `MAP ${name} ${host}`).join(', ');
  browser = await launchBrowser({ args: [`--host-resolver-rules=${rules}`] });
}, START_LIMIT_MS);
afterAll(() => browser.close());

const claimOf = (page: Page) => page.locator('.domain-claim');

/** Opens the part about the domain on an item's page of management. */
async function openDomain(
  page: Page,
  item: { namespace: string; id: string; ownerToken: string },
): Promise<void> {
  await page.goto(`${perch.url}/manage/${item.namespace}/${item.id}#k=${item.ownerToken}`);
  await page.click('.owned-domain summary');
}

test('an owner sets a domain, proves it, and a reader finds the site there with an origin of its own', async () => {
  const site = await uploadSite(perch.url, {
    'index.html':
      '<!doctype html><title>Own</title><link rel="stylesheet" href="/style.css"><script type="module" src="/app.js"></script><p>entry',
    'style.css': 'p { color: rgb(1, 2, 3) }',
    'app.js':
      "localStorage.setItem('mark', 'mine'); document.title = origin + ' ' + localStorage.getItem('mark');",
  });
  const owner = await browser.newPage({ viewport: { width: 360, height: 800 } });
  await openDomain(owner, site);
  await owner.fill('.domain-form input', 'nowhere');
  await owner.click('.domain-form button');
  await owner.waitForSelector('#manage-fault:text("Domain: must have a dot in it")');
  await owner.fill('.domain-form input', 'WWW.Own.Example.org.');
  await owner.click('.domain-form button');
  await owner.waitForSelector('.domain-claim:not([hidden])');
  expect(await owner.locator('#manage-fault').isVisible()).toBe(false);
  expect(await claimOf(owner).textContent()).toContain('Waiting.');
  expect(await accessibilityFaults(owner)).toEqual([]);
  const [name = '', value = ''] = await owner.locator('[data-record]').allTextContents();
  expect(name).toBe(`_perch-challenge.${DOMAIN}`);

  await owner.click('[data-domain=check]');
  await owner.waitForSelector('.domain-hint:has-text("not there yet")');
  names.setTexts(name, value);
  await owner.click('[data-domain=check]');
  await owner.waitForSelector(`.domain-hint:has-text("lead to ${SERVICE_HOST}")`);
  names.setAddresses(DOMAIN, SERVICE_ADDRESS);
  await owner.click('[data-domain=check]');
  await owner.waitForSelector('.domain-state:has-text("Active.")');
  expect(await owner.getAttribute('.domain-hint a', 'href')).toBe(`http://${DOMAIN}/`);
  expect(await accessibilityFaults(owner)).toEqual([]);

  const reader = await browser.newPage();
  await reader.goto(`http://${DOMAIN}/`);
  await reader.waitForFunction("document.title.includes('mine')");
  expect(await reader.title()).toBe(`http://${DOMAIN} mine`);
  expect(await inPage<string>(reader, "getComputedStyle(document.querySelector('p')).color")).toBe(
    'rgb(1, 2, 3)',
  );

  await owner.click('[data-domain=remove]');
  await owner.click('#domain-dialog button[value=ok]');
  await owner.waitForSelector('#manage-said:has-text("The domain is removed.")');
  expect(await claimOf(owner).isHidden()).toBe(true);
  // Another person: the first one's browser may keep a site for an hour.
  const later = await (await browser.newContext()).newPage();
  expect((await later.goto(`http://${DOMAIN}/`))?.status()).toBe(410);
});

test('a German page says in German what is wrong with a domain', async () => {
  const item = await publish(perch.url, '<p>item');
  const owner = await browser.newPage({ locale: 'de-DE' });
  await openDomain(owner, item);
  await owner.fill('.domain-form input', 'nowhere');
  await owner.click('.domain-form button');
  await owner.waitForSelector('#manage-fault:not([hidden])');
  expect(await owner.textContent('#manage-fault')).toStartWith(
    'Domain: muss der Name eines öffentlichen Hosts sein',
  );
});

test('a reader types the password on the service’s host, and is led back to the domain', async () => {
  const item = await publish(perch.url, '<!doctype html><title>Secret</title><p>inside', {
    password: 'right',
  });
  const owner = await browser.newPage();
  await openDomain(owner, item);
  await owner.fill('.domain-form input', LOCKED_DOMAIN);
  await owner.click('.domain-form button');
  await owner.waitForSelector('.domain-claim:not([hidden])');
  const [name = '', value = ''] = await owner.locator('[data-record]').allTextContents();
  names.setTexts(name, value);
  names.setAddresses(LOCKED_DOMAIN, SERVICE_ADDRESS);
  await owner.click('[data-domain=check]');
  await owner.waitForSelector('.domain-state:has-text("Active.")');

  const reader = await browser.newPage();
  await reader.goto(`http://${LOCKED_DOMAIN}/?x=1`);
  expect(new URL(reader.url()).hostname).toBe(SERVICE_HOST);
  await reader.fill('input[type=password]', 'wrong');
  await reader.keyboard.press('Enter');
  await reader.waitForSelector('[role=alert], .error');
  await reader.fill('input[type=password]', 'right');
  await reader.keyboard.press('Enter');
  await reader.waitForURL(`http://${LOCKED_DOMAIN}/?x=1`);
  expect(await reader.title()).toBe('Secret');
});

test('where the operator has not turned it on, nothing is said of domains', async () => {
  const item = await publish(off.url, '<p>off');
  const page = await browser.newPage();
  await page.goto(`${off.url}/manage/${item.namespace}/${item.id}#k=${item.ownerToken}`);
  await page.waitForSelector('.owned-title');
  expect(await page.locator('.owned-domain').count()).toBe(0);
});
