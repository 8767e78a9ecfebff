import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page, Request } from 'playwright-core';
import { atDepth } from '../depth.ts';
import { until } from '../faults/waiting.ts';
import { bytes, pdf, zeros } from '../hostile/bytes.ts';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { inPage, START_LIMIT_MS, slowDown, useBrowser, type Visitor } from './browser.ts';
import { film, sound } from './media.ts';
import { expectPdfViewer } from './pdf-viewer.ts';
import type { Published } from './publish.ts';
import { sharedTwoHosts, type TwoHosts } from './two-hosts.ts';
import { uploadFile } from './uploads.ts';

const visit = useBrowser();
const visitWithPdfViewer = useBrowser('chromium');
let oneHost: Instance;
let twoHosts: TwoHosts;

beforeAll(async () => {
  oneHost = await sharedInstance('embedded');
  twoHosts = await sharedTwoHosts();
}, START_LIMIT_MS);

const PASSWORD = 'open sesame';
const CIRCLE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><circle cx="200" cy="150" r="99"/></svg>';
const FILM = film(50);
/** A player reads far ahead. At this pace the film cannot be there before the player asks for a later part of it. */
const FILM_BYTES_A_SECOND = FILM.length / 25;
const FILES = {
  image: { filename: 'Kreis & Co 円.svg', content: CIRCLE },
  video: { filename: 'Über den Wolken 雲.webm', content: FILM },
  audio: { filename: 'stille.wav', content: sound(60) },
  pdf: { filename: 'paper.pdf', content: pdf() },
  text: {
    filename: 'a rather long name of a file of code.ts',
    content: 'export const answer: number = 42;\n',
  },
  zip: { filename: 'archive.zip', content: bytes('PK', [5, 6], zeros(18)) },
} as const;
type Name = keyof typeof FILES;
const NAMES = Object.keys(FILES) as Name[];

/** Where files are uploaded, and where they are then seen. */
const HOSTS = {
  'on the one host': () => ({ service: oneHost.url, content: oneHost.url }),
  'on a host of their own': () => twoHosts,
};
const PASSWORDS = { open: undefined, protected: PASSWORD };

/** A person on the page of a file, behind its password if it has one. */
async function open(
  service: string,
  name: Name,
  password: string | undefined,
  page: Page,
): Promise<Published> {
  const { filename, content } = FILES[name];
  const file = await uploadFile(service, filename, content, password === undefined ? {} : { password });
  await page.goto(file.url);
  if (password !== undefined) {
    await page.fill('#password', password);
    await page.click('button[type=submit]');
    await page.waitForSelector(name === 'text' ? 'perch-bar' : '.file-view');
  }
  return file;
}

/** The views that the counter has, without adding one. */
async function viewsOf(url: string, password: string | undefined): Promise<number> {
  const headers = {
    'User-Agent': 'PerchBrowserTest/1.0',
    ...(password === undefined ? {} : { 'X-Password': password }),
  };
  return Number((await fetch(url, { method: 'HEAD', headers })).headers.get('X-Views'));
}

/** Nothing was amiss but the password that was asked for. */
const expectNoComplaint = ({ complaints }: Visitor): void =>
  expect(complaints.filter((text) => !text.includes('status of 403'))).toEqual([]);

const seen = {
  async image(page: Page) {
    // The page's policy allows no `eval`, by which waitForFunction would look a second time.
    await until('the image is loaded', () =>
      inPage<boolean>(page, "document.querySelector('.stage img').complete"),
    );
    expect(await inPage<number>(page, "document.querySelector('.stage img').naturalWidth")).toBe(400);
  },
  async video(page: Page, requests: Request[]) {
    expect(await seek(page, 'video', 45)).toEqual({ duration: 50, currentTime: 45 });
    expect(await inPage<number>(page, "document.querySelector('video').videoWidth")).toBe(64);
    expect(await farthestStart(requests)).toBeGreaterThan(FILM.length / 2);
  },
  async audio(page: Page) {
    expect(await seek(page, 'audio', 55)).toEqual({ duration: 60, currentTime: 55 });
  },
  async text(page: Page) {
    expect(await page.locator('perch-bar .expiry').textContent()).toStartWith('34 bytes · Expires ');
    expect(await page.locator('.lines').textContent()).toContain('export const answer: number = 42;');
    expect(
      await inPage<number>(page, "document.querySelectorAll('.lines span span').length"),
    ).toBeGreaterThan(1);
  },
  async zip(page: Page) {
    expect(await page.locator('.stage-card .file-mark').textContent()).toBe('ZIP');
  },
} satisfies Partial<Record<Name, (page: Page, requests: Request[]) => Promise<void>>>;

/** The last byte that any of the requests began at. */
async function farthestStart(requests: Request[]): Promise<number> {
  const headers = await Promise.all(requests.map((request) => request.allHeaders()));
  return Math.max(...headers.map(({ range = '' }) => Number(/^bytes=(\d+)-/.exec(range)?.[1] ?? 0)));
}

function recordRequests(page: Page): Request[] {
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));
  return requests;
}

/** Where a player stands after it was sent to a second. */
const seek = (page: Page, player: string, second: number) =>
  inPage<{ duration: number; currentTime: number }>(
    page,
    `new Promise((resolve, reject) => {
      const player = document.querySelector('${player}');
      player.onerror = () => reject(new Error(player.error.message));
      player.onseeked = () => resolve({ duration: player.duration, currentTime: player.currentTime });
      const go = () => { player.currentTime = ${second}; };
      if (player.readyState > 0) go(); else player.onloadedmetadata = go;
    })`,
  );

const isAsked = (where: string, how: string): boolean =>
  atDepth(true, (where === 'on the one host') === (how === 'open'));

for (const [where, host] of Object.entries(HOSTS)) {
  for (const [how, password] of Object.entries(PASSWORDS).filter(([how]) => isAsked(where, how))) {
    describe(`a file that is ${how}, ${where}`, () => {
      for (const name of Object.keys(seen) as Array<keyof typeof seen>) {
        test(`${name}: is shown`, async () => {
          const visitor = await visit();
          const requests = recordRequests(visitor.page);
          if (name === 'video') await slowDown(visitor.page, FILM_BYTES_A_SECOND);
          const file = await open(host().service, name, password, visitor.page);
          expect(visitor.page.url()).toBe(host().content + file.path);
          await seen[name](visitor.page, requests);
          expect(await viewsOf(host().content + file.path, password)).toBe(1);
          expectNoComplaint(visitor);
        });
      }

      test('pdf: is shown by the viewer of the browser', async () => {
        const visitor = await visitWithPdfViewer();
        const { page } = visitor;
        const file = await open(host().service, 'pdf', password, page);
        const isSandboxed = host().service !== host().content && password !== undefined;
        if (isSandboxed) {
          expect(await page.locator('.stage-card .file-mark').textContent()).toBe('PDF');
          await page.click('.item-actions a.quiet');
        }
        await expectPdfViewer(page);
        expect(await viewsOf(host().content + file.path, password)).toBe(isSandboxed ? 2 : 1);
        expectNoComplaint(visitor);
      });

      test('its download has the name and the bytes of the upload', async () => {
        const { page } = await visit({ acceptDownloads: true });
        for (const name of ['video', 'image', 'text'] as const) {
          await open(host().service, name, password, page);
          const link = page.getByRole('link', { name: 'Download', exact: true });
          const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
          expect(download.suggestedFilename()).toBe(FILES[name].filename);
          const saved = await Bun.file(await download.path()).bytes();
          expect(Bun.hash(saved)).toBe(Bun.hash(new Uint8Array(Buffer.from(FILES[name].content))));
          await download.delete();
        }
      });

      test('leads to the original and to a report', async () => {
        const visitor = await visit();
        const { page } = visitor;
        for (const name of ['image', 'text'] as const) {
          const file = await open(host().service, name, password, page);
          await page
            .getByRole('link', { name: name === 'text' ? 'Raw' : 'Open original', exact: true })
            .click();
          await page.waitForURL(/raw=true/);
          expect(page.url()).toBe(`${host().content}${file.path}?raw=true`);
          expect(await page.content()).toContain(name === 'text' ? 'answer: number' : '<circle');
          await page.goBack();
          await page.getByRole('link', { name: 'Report', exact: true }).click();
          await page.waitForURL(/report/);
          expect(page.url()).toBe(
            `${host().service}/report?item=${encodeURIComponent(`${file.namespace}/${file.id}`)}`,
          );
          expect(await page.content()).toContain(file.id);
        }
        expectNoComplaint(visitor);
      });
    });
  }
}

test('what plays a protected file needs no cookie', async () => {
  const { page, context } = await visit();
  await open(oneHost.url, 'video', PASSWORD, page);
  await context.clearCookies();
  expect(await seek(page, 'video', 45)).toEqual({ duration: 50, currentTime: 45 });
  const source = await page.getAttribute('video', 'src');
  expect(source).toContain('ticket=');
  const wrong = new URL(String(source).replace(/ticket=\d+/, 'ticket=9999999999'), page.url());
  expect((await fetch(wrong, { headers: { 'User-Agent': 'PerchTests/1' } })).status).toBe(403);
});

test('every page fits a phone, in light and dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const visitor = await visit({ viewport: { width: 360, height: 700 }, colorScheme });
    const { page } = visitor;
    for (const name of NAMES) {
      await open(oneHost.url, name, undefined, page);
      const width = await inPage<number>(page, 'document.documentElement.scrollWidth');
      expect([name, width]).toEqual([name, 360]);
      const report = await page.getByRole('link', { name: 'Report', exact: true }).boundingBox();
      expect((report?.x ?? 999) + (report?.width ?? 999)).toBeLessThanOrEqual(360);
      expect(await brightness(page)).toBe(colorScheme);
    }
    expectNoComplaint(visitor);
  }
});

const brightness = (page: Page): Promise<string> =>
  inPage(
    page,
    `(() => {
      const colours = [document.documentElement, document.body]
        .map((element) => getComputedStyle(element).backgroundColor.match(/[\\d.]+/g).map(Number))
        .filter(([, , , alpha = 1]) => alpha > 0);
      return colours.at(-1).slice(0, 3).every((part) => part < 100) ? 'dark' : 'light';
    })()`,
  );
