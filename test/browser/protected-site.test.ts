import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { eventually } from '../acceptance/support/concurrency.ts';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { inPage, START_LIMIT_MS, useBrowser, type Visitor } from './browser.ts';
import type { Published } from './publish.ts';
import { complete, type SiteFindings, sampleSite } from './sample-site.ts';
import { type Stranger, startStranger } from './stranger.ts';
import { sharedTwoHosts, type TwoHosts } from './two-hosts.ts';
import { type SiteFiles, uploadSite } from './uploads.ts';

const visit = useBrowser();
let perch: Instance;
let twoHosts: TwoHosts;
let stranger: Stranger;

beforeAll(async () => {
  stranger = startStranger();
  perch = await sharedInstance('embedded');
  twoHosts = await sharedTwoHosts();
}, START_LIMIT_MS);
afterAll(() => stranger.stop());

const PASSWORD = 'open sesame';
const TICKET = /\/~(\d+\.[\w-]{43})\//;

const protectedSite = (text: string, more: SiteFiles = {}, service = perch.url): Promise<Published> =>
  uploadSite(service, sampleSite(text, more), { password: PASSWORD });

async function unlock(page: Page): Promise<void> {
  const locked = page.url();
  await page.fill('#password', PASSWORD);
  await page.click('button[type=submit]');
  await page.waitForURL((url) => url.href !== locked && TICKET.test(url.pathname));
}

/** The ticket in the address of what is open. */
const ticketOf = (page: Page): string => TICKET.exec(page.url())?.[1] ?? '';

const pathOf = (page: Page): string => new URL(page.url()).pathname;

async function expectComplete(page: Page, text: string): Promise<void> {
  await page.waitForFunction("document.getElementById('found')?.textContent");
  const found = await inPage<string>(page, "document.getElementById('found').textContent");
  expect(JSON.parse(found) as SiteFindings).toEqual(complete('null', text));
}

const expectNoComplaint = ({ complaints }: Visitor): void =>
  expect(complaints.filter((text) => !text.includes('status of 403'))).toEqual([]);

async function open(site: Published): Promise<Visitor> {
  const visitor = await visit();
  const refused = await visitor.page.goto(site.url);
  expect(refused?.status()).toBe(403);
  await unlock(visitor.page);
  return visitor;
}

test('the password opens the site with all of its parts, and its links stay open', async () => {
  for (const { service, content } of [{ service: perch.url, content: perch.url }, twoHosts]) {
    const site = await protectedSite('behind the lock', {}, service);
    const visitor = await open(site);
    const { page, context } = visitor;
    expect(page.url()).toBe(`${content}${site.path}/~${ticketOf(page)}/`);
    await expectComplete(page, 'behind the lock');
    const prefix = `${site.path}/~${ticketOf(page)}/`;
    await context.clearCookies();
    for (const [name, path] of [
      ['Docs', 'docs/'],
      ['Guide', 'docs/guide.html'],
      ['Home', 'index.html'],
    ] as const) {
      await page.getByRole('link', { name }).click();
      await page.waitForURL(`**/${path}`);
      expect(pathOf(page)).toBe(prefix + path);
    }
    await expectComplete(page, 'behind the lock');
    expectNoComplaint(visitor);
  }
});

test('who wanted a page of it gets to that page', async () => {
  const site = await protectedSite('behind the lock');
  const { page } = await visit();
  await page.goto(`${site.url}/docs/guide.html`);
  await unlock(page);
  expect(pathOf(page)).toBe(`${site.path}/~${ticketOf(page)}/docs/guide.html`);
  expect(await page.title()).toBe('Guide');
});

test('a ticket opens no other site, and none that was changed opens its own', async () => {
  const [site, other] = [await protectedSite('the open one'), await protectedSite('the other one')];
  const { page: opened } = await open(site);
  const ticket = ticketOf(opened);
  const [until = '', signature = ''] = ticket.split('.');
  const { page } = await visit();
  expect((await page.goto(`${site.url}/~${ticket}/`))?.status()).toBe(200);
  const refused = [
    `${other.url}/~${ticket}/`,
    `${other.url}/~${ticket}/data.json`,
    `${site.url}/~${Math.floor(Date.now() / 1000) - 1}.${signature}/`,
    `${site.url}/~${Number(until) + 3600}.${signature}/`,
    `${site.url}/~${until}.${'A'.repeat(43)}/`,
    `${site.url}/~${until}.${signature.toLowerCase()}/`,
  ];
  for (const url of refused) {
    expect([url, (await page.goto(url))?.status()]).toEqual([url, 403]);
    expect(await page.locator('#password').count()).toBe(1);
  }
});

test('with a ticket that has run out the form comes again, and leads on to the same page', async () => {
  const site = await protectedSite('behind the lock');
  const { page, context } = await open(site);
  const signature = ticketOf(page).split('.')[1];
  const old = `${site.url}/~${Math.floor(Date.now() / 1000) - 1}.${signature}/docs/guide.html`;
  await context.clearCookies();
  expect((await page.goto(old))?.status()).toBe(403);
  await unlock(page);
  expect(pathOf(page)).toBe(`${site.path}/~${ticketOf(page)}/docs/guide.html`);
  expect(await page.title()).toBe('Guide');

  // A visitor who has opened the site since gets a new ticket, or its parts would be missing.
  await page.goto(old.replace('docs/guide.html', 'index.html?from=bookmark'));
  expect(page.url()).toBe(`${site.url}/~${ticketOf(page)}/index.html?from=bookmark`);
  await expectComplete(page, 'behind the lock');
});

test('its own missing page stands behind the ticket, too', async () => {
  const site = await protectedSite('x', { '404.html': '<!doctype html><title>Lost</title><p id="own">Lost' });
  const { page } = await open(site);
  await page.getByRole('link', { name: 'Lost' }).click();
  await page.waitForSelector('#own');
  expect(pathOf(page)).toBe(`${site.path}/~${ticketOf(page)}/nowhere/at-all`);
});

test('neither another host nor the log learns the ticket', async () => {
  const talkative = `<!doctype html><title>Talkative</title>
    <link rel="stylesheet" href="${stranger.url}/style"><img src="${stranger.url}/image">
    <a id="link" href="${stranger.url}/link">Out</a> <a id="tab" target="_blank" href="${stranger.url}/tab">Out</a>
    <form id="form" action="${stranger.url}/form"><input name="q"></form><iframe src="${stranger.url}/frame"></iframe>
    <script>
      navigator.sendBeacon('${stranger.url}/beacon');
      window.asked = fetch('${stranger.url}/fetch').then(() => true);
    </script>`;
  const site = await protectedSite('x', { 'talk.html': talkative });
  const { page, context } = await open(site);
  const ticket = ticketOf(page);
  const talk = `${page.url()}talk.html`;
  await page.goto(talk, { waitUntil: 'load' });
  expect(await inPage<boolean>(page, 'window.asked')).toBe(true);
  const [tab] = await Promise.all([context.waitForEvent('page'), page.click('#tab')]);
  await tab.waitForLoadState();
  await page.click('#link');
  await page.waitForURL(/\/link/);
  await page.goto(talk);
  await inPage(page, "document.getElementById('form').submit()");
  await page.waitForURL(/\/form/);

  const ways = ['style', 'image', 'fetch', 'frame', 'beacon', 'tab', 'link', 'form'];
  const asked = (): string[] => stranger.requests.map(({ path }) => path.replace(/\?.*/, ''));
  // A beacon leaves when the browser has time for it.
  await eventually(() => ways.every((way) => asked().includes(`/${way}`)));
  const referers = stranger.requests.map(({ headers }) => headers.referer ?? '');
  expect(referers.filter((referer) => referer.startsWith(perch.url))).toEqual([]);
  expect(JSON.stringify(stranger.requests)).not.toContain(ticket);

  let written = '';
  // Lines leave a second later, and in order: with the last request all before it are there.
  await eventually(async () => {
    written = (await Promise.all(perch.logFiles.map((path) => readFile(path, 'utf8')))).join('');
    return written.split(`${site.path}/~***/talk.html`).length > 2;
  });
  expect(written).not.toContain(ticket);
});
