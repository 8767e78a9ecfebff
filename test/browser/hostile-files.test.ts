import { afterAll, beforeAll, expect, test } from 'bun:test';
import { TRACE } from '../hostile/files.ts';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';
import {
  type Embedded,
  embeddingPage,
  type HostileUpload,
  publishHostilePages,
  uploadHostileFiles,
  uploadHostileSite,
} from './hostile-uploads.ts';
import { type Opened, openInFrames, openInTabs, type Someone, someoneBy } from './opened.ts';
import { publish } from './publish.ts';
import { type Stranger, startStranger } from './stranger.ts';

const visit = useBrowser();
let perch: Instance;
let stranger: Stranger;
let uploads: HostileUpload[];

beforeAll(async () => {
  stranger = startStranger();
  perch = await sharedInstance('embedded');
  uploads = await uploadHostileFiles(perch.url);
}, START_LIMIT_MS);
afterAll(() => stranger.stop());

const someone = (): Promise<Someone> => someoneBy(visit);

/** Nothing has run with an origin, and nothing was left with the service. */
async function expectNoTrace({ page, context, runs }: Someone): Promise<void> {
  expect(runs.filter(({ origin }) => origin !== 'null')).toEqual([]);
  expect(context.serviceWorkers().map((worker) => worker.url())).toEqual([]);
  await page.goto(`${perch.url}/`);
  expect(await inPage<string[]>(page, 'Object.keys(localStorage)')).toEqual([]);
  expect(await inPage<unknown[]>(page, 'navigator.serviceWorker.getRegistrations()')).toEqual([]);
  expect(await context.cookies()).toEqual([]);
}

/**
 * Files shown as another type than they are served as, or with an origin. The page around a PDF is the browser's own:
 * it has an origin, and nothing of the PDF runs in it.
 */
const misshown = (opened: Opened[], files: HostileUpload[]): string[] =>
  files.flatMap(({ name, mediaType }, index) => {
    const shown = opened[index]?.shown ?? null;
    if (shown === null) return [];
    const isApart = shown.origin === 'null' || shown.mediaType === 'application/pdf';
    return isApart && shown.mediaType === mediaType ? [] : [`${name}: ${JSON.stringify(shown)}`];
  });

test(
  'there are many, and where nobody takes care of them, their scripts run and are seen to',
  visit.outlivingTheBrowser(async () => {
    expect(uploads.length).toBeGreaterThan(60);
    const { page, runs } = await someone();
    const page1 = uploads.find(({ name }) => name === 'page with a script');
    stranger.put('/careless', Buffer.from(page1?.bytes ?? []).toString());
    const url = `${stranger.url}/careless`;
    await page.goto(url);
    expect(runs).toEqual([{ origin: stranger.url, url }]);
    expect(await inPage<string>(page, `localStorage.getItem('${TRACE}')`)).toBe(url);
  }),
);

test(
  'a person who opens one sees a page of ours about it',
  visit.outlivingTheBrowser(async () => {
    const person = await someone();
    const opened = await openInTabs(
      person.context,
      uploads.map(({ path }) => perch.url + path),
    );
    const notOurs = uploads
      .filter((_, index) => opened[index]?.shown?.isOurs !== true)
      .map(({ name }) => name);
    expect(notOurs).toEqual([]);
    expect(person.complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
    await expectNoTrace(person);
  }),
);

test(
  'as it is it is what it is served as, and apart from all else',
  visit.outlivingTheBrowser(async () => {
    const person = await someone();
    const urls = uploads.map(({ path }) => `${perch.url}${path}?raw=true`);
    const opened = await openInTabs(person.context, urls);
    expect(misshown(opened, uploads)).toEqual([]);
    expect(opened.filter(({ shown }) => shown !== null).length).toBeGreaterThan(60);
    await expectNoTrace(person);
  }),
);

test(
  'the same at its address in the API, in a frame of a page without any policy',
  visit.outlivingTheBrowser(async () => {
    const person = await someone();
    const urls = uploads.map(({ path }) => `${perch.url}/api/files${path}`);
    const opened = await openInFrames(person.page, stranger, urls);
    expect(opened.length).toBe(uploads.length);
    expect(misshown(opened, uploads)).toEqual([]);
    await expectNoTrace(person);
  }),
);

test(
  'the same content within a site, under every name that browsers run',
  visit.outlivingTheBrowser(async () => {
    const person = await someone();
    const paths = await uploadHostileSite(perch.url);
    const opened = await openInFrames(
      person.page,
      stranger,
      paths.map((path) => perch.url + path),
    );
    expect(opened.length).toBe(paths.length);
    expect(opened.filter(({ shown }) => shown?.origin !== 'null')).toEqual([]);
    expect(person.runs.length).toBeGreaterThan(20);
    await expectNoTrace(person);
  }),
);

test(
  'the same content as pages',
  visit.outlivingTheBrowser(async () => {
    const person = await someone();
    const paths = await publishHostilePages(perch.url);
    const opened = await openInFrames(
      person.page,
      stranger,
      paths.map((path) => perch.url + path),
    );
    expect(opened.filter(({ shown }) => shown?.origin !== 'null')).toEqual([]);
    expect(person.runs.length).toBeGreaterThan(20);
    await expectNoTrace(person);
  }),
);

/** Embeds in one page: each opens four frames. */
const EMBEDS_A_PAGE = 16;

test(
  'a hosted page gets no more out of them, in whatever way it takes them in',
  visit.outlivingTheBrowser(async () => {
    const person = await someone();
    const { page } = person;
    const found: Embedded[] = [];
    for (let start = 0; start < uploads.length; start += EMBEDS_A_PAGE) {
      const paths = uploads.slice(start, start + EMBEDS_A_PAGE).map(({ path }) => path);
      const embedding = await publish(perch.url, embeddingPage(paths));
      await page.goto(embedding.url);
      await page.waitForFunction("document.getElementById('found').textContent !== ''");
      found.push(...JSON.parse(await inPage<string>(page, "document.getElementById('found').textContent")));
    }
    const wrong = uploads.flatMap(({ name, mediaType }, index) => {
      const { script, moduleImport, style, image, worker, serviceWorker } = found[index] ?? {};
      const isRight =
        (script !== 'loaded' || mediaType === 'text/javascript') &&
        (style !== 'loaded' || mediaType === 'text/css') &&
        (moduleImport !== 'loaded' || mediaType === 'text/javascript') &&
        (image !== 'loaded' || mediaType.startsWith('image/')) &&
        worker === 'SecurityError' &&
        serviceWorker === 'SecurityError';
      return isRight ? [] : [{ name, mediaType, ...found[index] }];
    });
    expect(wrong).toEqual([]);
    for (const way of ['script', 'moduleImport', 'style', 'image'] as const)
      expect([way, found.some((one) => one[way] === 'loaded')]).toEqual([way, true]);
    await expectNoTrace(person);
  }),
);
