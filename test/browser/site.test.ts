import { beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';
import { expectPdfViewer } from './pdf-viewer.ts';
import { publish } from './publish.ts';
import { complete, type SiteFindings, sampleSite } from './sample-site.ts';
import { sharedTwoHosts, type TwoHosts } from './two-hosts.ts';
import { replaceSite, uploadSite } from './uploads.ts';

const visit = useBrowser();
const visitWithPdfViewer = useBrowser('chromium');
let perch: Instance;
let twoHosts: TwoHosts;

beforeAll(async () => {
  perch = await sharedInstance('embedded');
  twoHosts = await sharedTwoHosts();
}, START_LIMIT_MS);

async function findings(page: Page): Promise<SiteFindings> {
  await page.waitForFunction("document.getElementById('found')?.textContent");
  return JSON.parse(await inPage<string>(page, "document.getElementById('found').textContent"));
}

const follow = async (page: Page, name: string): Promise<string> => {
  await Promise.all([page.waitForEvent('framenavigated'), page.getByRole('link', { name }).click()]);
  await page.waitForLoadState();
  return new URL(page.url()).pathname;
};

test('all parts of a site load without an origin, at an address that needs no slash', async () => {
  const site = await uploadSite(perch.url, sampleSite('first'));
  const { page, complaints } = await visit();
  await page.goto(`${site.url}?from=mail`);
  expect(page.url()).toBe(`${site.url}/?from=mail`);
  expect(await findings(page)).toEqual(complete('null', 'first'));
  expect(complaints).toEqual([]);
});

test('in a frame of another page all of its parts load, at the address without the slash', async () => {
  const [site, locked] = [
    await uploadSite(perch.url, sampleSite('framed')),
    await uploadSite(perch.url, sampleSite('framed and locked'), { password: 'sesame' }),
  ];
  const embedding = await publish(
    perch.url,
    `<!doctype html><title>Embeds</title><iframe src="${site.path}"></iframe>
    <iframe src="${locked.path}?p=sesame"></iframe><object type="text/html" data="${site.path}"></object>`,
  );
  const { page, complaints } = await visit();
  await page.goto(embedding.url);
  const [, ...frames] = page.frames();
  const texts = [];
  for (const frame of frames) {
    await frame.waitForFunction("document.getElementById('found')?.textContent");
    const found = await inPage<string>(frame, "document.getElementById('found').textContent");
    const { fetched } = JSON.parse(found) as SiteFindings;
    expect(JSON.parse(found)).toEqual(complete('null', fetched));
    texts.push(fetched);
  }
  expect(texts.sort()).toEqual(['framed', 'framed', 'framed and locked']);
  expect(complaints).toEqual([]);
});

test('a page in an encoding of its own is read in that one', async () => {
  const markup = '<!doctype html><meta charset="windows-1252"><title>Latin</title><p id="word">caf\u00e9';
  const site = await uploadSite(perch.url, { 'index.html': Buffer.from(markup, 'latin1') });
  const { page } = await visit();
  await page.goto(site.url);
  expect(await page.textContent('#word')).toBe('caf\u00e9');
});

test('with a host of its own it has that origin', async () => {
  const site = await uploadSite(twoHosts.service, sampleSite('first'));
  const { page, complaints } = await visit();
  await page.goto(`${twoHosts.service}${site.path}`);
  expect(page.url()).toBe(`${twoHosts.content}${site.path}/`);
  expect(await findings(page)).toEqual(complete(twoHosts.content, 'first'));
  expect(complaints).toEqual([]);
});

test('its pages link to one another', async () => {
  const { url, path } = await uploadSite(perch.url, sampleSite('first'));
  const { page, complaints } = await visit();
  await page.goto(url);
  expect(await follow(page, 'Guide')).toBe(`${path}/docs/guide.html`);
  expect(await follow(page, 'Docs')).toBe(`${path}/docs/`);
  expect(await page.title()).toBe('Docs');
  expect(await follow(page, 'Home')).toBe(`${path}/`);
  expect(await follow(page, 'Docs')).toBe(`${path}/docs/`);
  expect(await follow(page, 'Guide')).toBe(`${path}/docs/guide.html`);
  expect(await follow(page, 'Home')).toBe(`${path}/index.html`);
  expect(await findings(page)).toEqual(complete('null', 'first'));
  expect(complaints).toEqual([]);
});

test('a PDF within it opens in the viewer of the browser', async () => {
  for (const service of [perch.url, twoHosts.service]) {
    const site = await uploadSite(service, sampleSite('first'));
    const { page, complaints } = await visitWithPdfViewer();
    await page.goto(site.url);
    expect(await follow(page, 'Paper')).toBe(`${site.path}/paper.pdf`);
    await expectPdfViewer(page);
    expect(complaints).toEqual([]);
  }
});

test('what is missing is answered by its own page, else by ours', async () => {
  const missing = '<!doctype html><title>Lost</title><p id="own">Not in this site';
  const own = await uploadSite(perch.url, sampleSite('first', { '404.html': missing }));
  const without = await uploadSite(perch.url, sampleSite('first'));
  const { page } = await visit();
  for (const [site, selector] of [
    [own, '#own'],
    [without, 'main .facts'],
  ] as const) {
    await page.goto(site.url);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().isNavigationRequest()),
      follow(page, 'Lost'),
    ]);
    expect(answer.status()).toBe(404);
    expect(new URL(page.url()).pathname).toBe(`${site.path}/nowhere/at-all`);
    expect(await page.locator(selector).count()).toBe(1);
    expect(await inPage<string>(page, 'window.origin')).toBe(selector === '#own' ? 'null' : perch.url);
  }
});

test('a replacement is there at the next reload', async () => {
  const site = await uploadSite(perch.url, sampleSite('first'));
  const { page, complaints } = await visit();
  await page.goto(site.url);
  expect((await findings(page)).fetched).toBe('first');
  await replaceSite(perch.url, site, {
    ...sampleSite('second'),
    'docs/guide.html': '<!doctype html><title>New guide</title>',
    'docs/new.html': '<!doctype html><title>New page</title>',
  });
  await page.reload();
  expect(await page.textContent('h1')).toBe('second');
  expect(
    await inPage<string>(
      page,
      "fetch('data.json', { cache: 'reload' }).then((answer) => answer.json()).then(({ text }) => text)",
    ),
  ).toBe('second');
  await page.goto(`${site.url}/docs/new.html`);
  expect(await page.title()).toBe('New page');
  await page.goto(`${site.url}/docs/guide.html`);
  expect(await page.title()).toBe('New guide');
  expect(complaints).toEqual([]);
});
