import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { embeddedAt } from '../bench/perch.ts';
import { orEnd } from '../command-line.ts';
import { commandPath, ensureCommands } from '../servers/debian.ts';

/**
 * Makes the pictures of the documentation anew: starts a Perch with the items of the demo, opens each page in Chromium
 * in light and in dark, and writes small pictures of them for the README and the tour.
 */
const TARGET = resolve(import.meta.dirname, '../../docs/screenshots');
const DEMO = resolve(import.meta.dirname, '../demo/run.ts');
const ADMIN_PASSWORD = 'the operator of this Perch';
const SIZE = { width: 1_200, height: 800 };
/** Width of a picture, in pixels. */
const WIDTH = 800;
/** How long a page has to draw its pictures and charts; pages that follow something live are never idle. */
const SETTLED_MS = 1_500;

const MARKDOWN = `# Tomatoes

> [!TIP]
> Water them in the morning.

| Kind | Weeks | Height |
|---|---|---|
| Cherry | 9 | $h \\approx 1.8\\,\\mathrm{m}$ |
| Beefsteak | 12 | 1.5 m |

\`\`\`js
const rows = plants.filter(({ ripe }) => ripe);
\`\`\`
`;

/** The name of a picture, the address of its page, and an element that is there when the page is whole. */
type Opened = [name: string, address: string, ready: string];
const CONSOLE_PAGES: Opened[] = [
  ['console', '/admin', '.console'],
  ['console-reports', '/admin/reports', '.console'],
  ['console-access', '/admin/access', '#access-chart'],
];

await orEnd(makeScreenshots());

async function makeScreenshots(): Promise<void> {
  await ensureCommands(['chromium', 'setpriv']);
  await using cleanUp = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'perch-screenshots-'));
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  const perch = await embeddedAt(join(folder, 'data'), folder, {
    ADMIN_PASSWORD,
    LIMIT_UPLOADS_PER_HOUR: '0',
    LIMIT_READS_PER_MINUTE: '0',
    LIMIT_CHANGES_PER_HOUR: '0',
    LIMIT_PREVIEWS_PER_MINUTE: '0',
  });
  await perch.start();
  cleanUp.defer(perch.stop);
  const demo = Bun.spawn([process.execPath, DEMO, '--url', perch.url, '--seconds', '15'], {
    stdout: 'ignore',
  });
  if ((await demo.exited) !== 0) throw new Error('the demo could not fill this Perch');
  const items = await publishOwn(perch.url);
  const browser = await chromium.launch({ executablePath: commandPath('chromium'), args: ['--no-sandbox'] });
  cleanUp.defer(() => browser.close());
  await mkdir(TARGET, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const)
    await pictureAll(browser, { url: perch.url, colorScheme, ...items });
}

interface Shown {
  url: string;
  colorScheme: 'light' | 'dark';
  token: string;
  page: string;
  document: string;
}

/** A page and a document of one owner, by their paths. */
async function publishOwn(url: string): Promise<Pick<Shown, 'token' | 'page' | 'document'>> {
  const send = async (path: string, type: string, body: string, token?: string) => {
    const headers = { 'Content-Type': type, ...(token === undefined ? {} : { 'X-Owner-Token': token }) };
    const answer = await fetch(url + path, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return (await answer.json()) as { url: string; ownerToken: string };
  };
  const page = await send('/api/html?ns=garden&id=tomatoes', 'text/markdown', MARKDOWN);
  const plants = ['Cherry', 'Beefsteak', 'San Marzano'].map((name, row) => ({
    name,
    row,
    ripe: row !== 1,
    watered: { litres: 2.5 + row, at: '2026-06-01T06:30:00Z' },
  }));
  const document = await send(
    '/api/json?ns=garden&id=beds',
    'application/json',
    JSON.stringify({ garden: 'South wall', plants }),
    page.ownerToken,
  );
  return {
    token: page.ownerToken,
    page: new URL(page.url).pathname,
    document: new URL(document.url).pathname,
  };
}

function pagesOf({ token, page, document }: Shown): Opened[] {
  return [
    ['home', '/', '#content'],
    ['gallery', '/gallery', '.gallery'],
    ['stats', '/stats', 'canvas'],
    ['page', page, 'h1'],
    ['document', document, 'main'],
    ['manage', `/manage${page}#k=${token}`, '.owned'],
    ['edit', `/edit${page}#k=${token}`, '.cm-content'],
  ];
}

async function pictureAll(browser: Browser, shown: Shown): Promise<void> {
  const { url, colorScheme } = shown;
  const context = await browser.newContext({ viewport: SIZE, colorScheme, locale: 'en-GB' });
  const page = await context.newPage();
  const picture = async (name: string, address: string, ready: string): Promise<void> => {
    const answer = await page.goto(url + address);
    if (answer !== null && !answer.ok()) throw new Error(`${address} answered ${answer.status()}`);
    await page.waitForSelector(ready);
    await page.waitForTimeout(SETTLED_MS);
    const file = join(TARGET, `${name}-${colorScheme}.webp`);
    await sharp(await page.screenshot())
      .resize(WIDTH)
      .webp({ quality: 72 })
      .toFile(file);
    process.stdout.write(`${file}\n`);
  };
  for (const named of pagesOf(shown)) await picture(...named);
  await signIn(page, url);
  for (const named of CONSOLE_PAGES) await picture(...named);
  await context.close();
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/admin`);
  await page.fill('#password', ADMIN_PASSWORD);
  await page.click('main button[type=submit]');
  await page.waitForSelector('.console');
}
