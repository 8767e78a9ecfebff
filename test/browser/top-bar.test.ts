import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { inPage, useBrowser } from './browser.ts';
import { publish } from './publish.ts';

const visit = useBrowser();
const perch = useStarted(() => sharedInstance('embedded'));

const RESET = `*,*::before,*::after{margin:0!important;padding:0!important;box-sizing:content-box!important;position:static!important}
  html,body{height:100%;display:flex!important;align-items:center!important;justify-content:center!important;font-size:40px}
  body>*{all:unset} div,header,nav,a,button,span{display:none!important;color:red!important}
  main{display:block!important;font:16px serif!important}`;

const PAGES = {
  html: {
    type: 'text/html',
    content:
      '<!doctype html><title>An HTML page</title><body><main><h1>Hello</h1><p>Text of the page</p></main>',
    badge: 'HTML',
    title: 'An HTML page',
    file: /\.html$/,
  },
  'html with a CSS reset': {
    type: 'text/html',
    content: `<!doctype html><title>A reset page</title><style>${RESET}</style><body><main>Text of the page</main>`,
    badge: 'HTML',
    title: 'A reset page',
    file: /\.html$/,
  },
  markdown: {
    type: 'text/markdown',
    content: '# A markdown page\n\nText of the page with `code`.\n\n```js\nconst answer = 42;\n```\n',
    badge: 'Markdown',
    title: 'A markdown page',
    file: /\.md$/,
  },
  text: {
    type: 'application/yaml',
    content: 'name: perch\n# Text of the page\nlist:\n  - <b>one</b>\n  - ünï\n',
    badge: 'Text',
    title: 'notes.yaml',
    file: /^notes\.yaml$/,
  },
};

const bar = (page: Page) => page.locator('perch-bar');
const background = (page: Page): Promise<string> =>
  inPage(
    page,
    'getComputedStyle(document.documentElement).backgroundColor + getComputedStyle(document.body).backgroundColor',
  );
const barColour = (page: Page): Promise<string> =>
  inPage(
    page,
    "getComputedStyle(document.querySelector('perch-bar').shadowRoot.querySelector('header')).backgroundColor",
  );

for (const [name, sample] of Object.entries(PAGES)) {
  const open = async () => {
    const query = { showTopBar: 'true', ...(name === 'text' ? { filename: 'notes.yaml' } : {}) };
    const item = await publish(perch.url, sample.content, { type: sample.type, query });
    const visitor = await visit({ acceptDownloads: true, colorScheme: 'light' });
    await visitor.page.goto(item.url, { waitUntil: 'load' });
    return { item, ...visitor };
  };

  test(`${name}: the bar is seen, says what the page is, and leaves the page alone`, async () => {
    const { page, complaints, item } = await open();
    const header = bar(page).locator('header');
    expect(await header.isVisible()).toBe(true);
    expect((await bar(page).locator('.title').textContent())?.trim()).toBe(sample.title);
    expect((await bar(page).locator('.badge').textContent())?.trim()).toBe(sample.badge);
    const box = await header.boundingBox();
    if (box === null) throw new Error('the bar has no box');
    expect(Math.round(box.x)).toBe(0);
    expect(Math.round(box.y)).toBe(0);
    expect(Math.round(box.width)).toBe(page.viewportSize()?.width ?? 0);
    expect(box.height).toBeGreaterThan(24);
    expect(box.height).toBeLessThan(80);

    const text = page.getByText('Text of the page').first();
    expect(await text.isVisible()).toBe(true);
    expect((await text.boundingBox())?.y ?? 0).toBeGreaterThanOrEqual(box.height);
    expect(await inPage<boolean>(page, 'document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    const report = await bar(page).getByRole('link', { name: 'Report' }).getAttribute('href');
    const reported = new URL(report ?? '', item.url);
    expect(reported.origin + reported.pathname).toBe(`${perch.url}/report`);
    expect(reported.searchParams.get('item')).toBe(`${item.namespace}/${item.id}`);
    expect(complaints).toEqual([]);
  });

  test(`${name}: its download brings the stored bytes, its raw link the page as it is`, async () => {
    const { page } = await open();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      bar(page).getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(sample.file);
    expect(await Bun.file(await download.path()).text()).toBe(sample.content);
    await download.delete();
    const raw = await bar(page).getByRole('link', { name: 'Raw' }).getAttribute('href');
    expect(
      await (
        await fetch(new URL(raw ?? '', page.url()), { headers: { 'User-Agent': 'PerchTests/1' } })
      ).text(),
    ).toBe(sample.content);
  });

  test(`${name}: the theme switch works without an origin to remember it in`, async () => {
    const { page, complaints } = await open();
    const press = (label: string) => bar(page).getByRole('button', { name: label }).click();
    expect(await inPage<string>(page, 'window.origin')).toBe('null');
    const atFirst = [await barColour(page), await background(page)];
    await press('Dark theme');
    const dark = [await barColour(page), await background(page)];
    expect(dark[0]).not.toBe(atFirst[0]);
    if (name === 'markdown' || name === 'text') expect(dark[1]).not.toBe(atFirst[1]);
    expect(await bar(page).getByRole('button', { name: 'Dark theme' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    await press('Light theme');
    expect([await barColour(page), await background(page)]).toEqual(atFirst);
    await press('Theme of your system');
    expect([await barColour(page), await background(page)]).toEqual(atFirst);
    await press('Hide this bar');
    expect(await bar(page).locator('header').isVisible()).toBe(false);
    await press('Show the bar');
    expect(await bar(page).locator('header').isVisible()).toBe(true);
    await press('Dark theme');
    await page.reload();
    expect([await barColour(page), await background(page)]).toEqual(dark);
    expect(complaints).toEqual([]);
  });
}

test('without the bar the page is served as it was stored', async () => {
  // Elsewhere than in public, where search engines get their tags.
  const query = { ns: 'as-stored', showTopBar: 'false' };
  const item = await publish(perch.url, PAGES.html.content, { query });
  const { page } = await visit();
  const answer = await page.goto(item.url);
  expect(await answer?.text()).toBe(PAGES.html.content);
  expect(await bar(page).count()).toBe(0);
});

test('the bar fits a phone', async () => {
  const item = await publish(perch.url, `# ${'A rather long title of a page '.repeat(4)}`, {
    type: 'text/markdown',
    query: { showTopBar: 'true' },
  });
  const { page } = await visit({ viewport: { width: 360, height: 700 } });
  await page.goto(item.url);
  expect(await inPage<boolean>(page, 'document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  for (const name of ['Download', 'Report']) {
    const box = await bar(page).getByRole('link', { name }).boundingBox();
    expect((box?.x ?? 999) + (box?.width ?? 999)).toBeLessThanOrEqual(360);
  }
});

test('the bar speaks the language of its reader, on a page that is the same for all', async () => {
  const item = await publish(
    perch.url,
    '<!doctype html><title>Download</title><main>Text of the page</main>',
    {
      query: { showTopBar: 'true' },
    },
  );
  const texts = async (locale: string) => {
    const { page, complaints } = await visit({ locale });
    const answer = await page.goto(item.url);
    const headers = (await answer?.allHeaders()) ?? {};
    const names = await inPage<string[]>(
      page,
      "[...document.querySelector('perch-bar').shadowRoot.querySelectorAll('[aria-label]')].map((element) => element.ariaLabel)",
    );
    const links = await bar(page).locator('a').allTextContents();
    const hide = await bar(page).locator('.hide').getAttribute('title');
    const expiry = await bar(page).locator('.expiry').textContent();
    expect((await bar(page).locator('.title').textContent())?.trim()).toBe('Download');
    expect(await bar(page).locator('.title').getAttribute('title')).toBe('Download');
    expect(complaints).toEqual([]);
    return { cached: [headers.etag, headers.vary, headers['content-length']], names, links, hide, expiry };
  };
  const english = await texts('en-GB');
  const german = await texts('de-AT');
  expect(await texts('fr-FR')).toEqual(english);
  expect(german.cached).toEqual(english.cached);
  expect(english.expiry).toMatch(/^\d+ bytes · Expires \d{1,2} \w{3,4} \d{4}$/);
  expect(german.expiry).toMatch(/^\d+ Bytes · Läuft ab am \d{1,2}\.\d{1,2}\.\d{4}$/);
  expect(german.links).toEqual(['Herunterladen', 'Original', 'Melden']);
  expect(german.hide).toBe('Leiste ausblenden');
  expect(german.names).toContain('Dunkel');
  expect(german.names).toHaveLength(english.names.length);
  expect(german.names.filter((name) => english.names.includes(name))).toEqual([]);
});
