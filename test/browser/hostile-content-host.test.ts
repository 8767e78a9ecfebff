import { afterAll, beforeAll, expect, test } from 'bun:test';
import { TRACE } from '../hostile/files.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';
import {
  type Embedded,
  embeddingPage,
  type HostileUpload,
  publishHostilePages,
  uploadHostileFiles,
  uploadHostileSite,
} from './hostile-uploads.ts';
import { openInFrames, openInTabs, type Someone, someoneBy } from './opened.ts';
import { publish } from './publish.ts';
import { type Stranger, startStranger } from './stranger.ts';
import { sharedTwoHosts, type TwoHosts } from './two-hosts.ts';
import { uploadFile, uploadSite } from './uploads.ts';

const visit = useBrowser();
let perch: TwoHosts;
let stranger: Stranger;
let uploads: HostileUpload[];

beforeAll(async () => {
  stranger = startStranger();
  perch = await sharedTwoHosts();
  uploads = await uploadHostileFiles(perch.service);
}, START_LIMIT_MS);
afterAll(() => stranger.stop());

const someone = (): Promise<Someone> => someoneBy(visit);

/** Scripts that ran had the content host's origin or none, and left nothing with the service. */
async function expectNoTrace({ page, context, runs }: Someone): Promise<void> {
  expect(runs.filter(({ origin }) => origin !== 'null' && origin !== perch.content)).toEqual([]);
  expect(context.serviceWorkers().map((worker) => worker.url())).toEqual([]);
  await page.goto(`${perch.service}/`);
  expect(await inPage<string[]>(page, 'Object.keys(localStorage)')).toEqual([]);
  expect(await context.cookies()).toEqual([]);
}

test('whatever is opened on the service runs on the content host, if at all', async () => {
  const person = await someone();
  const active = uploads.filter(({ mediaType }) => /html|svg|xml|script|pdf/.test(mediaType));
  const urls = active.flatMap(({ path }) => [`${perch.service}${path}`, `${perch.service}${path}?raw=true`]);
  const opened = await openInTabs(person.context, urls);
  expect(opened.filter(({ shown }) => shown?.origin === perch.service)).toEqual([]);
  expect(person.runs.some(({ origin }) => origin === perch.content)).toBe(true);
  await expectNoTrace(person);
  await person.page.goto((await publish(perch.service, '<!doctype html><title>Plain</title>')).url);
  expect(await inPage(person.page, `localStorage.getItem('${TRACE}')`)).toStartWith(perch.content);
});

test('nothing gets the origin of the service in a frame', async () => {
  const person = await someone();
  const urls = [...(await uploadHostileSite(perch.service)), ...(await publishHostilePages(perch.service))];
  const opened = await openInFrames(
    person.page,
    stranger,
    urls.map((path) => perch.service + path),
  );
  expect(opened.filter(({ shown }) => shown === null || shown.origin === perch.service)).toEqual([]);
  const ofTheApi = await openInFrames(
    person.page,
    stranger,
    uploads.map(({ path }) => `${perch.service}/api/files${path}`),
  );
  const withOrigin = ofTheApi.filter(
    ({ shown }) => shown !== null && shown.origin !== 'null' && shown.mediaType !== 'application/pdf',
  );
  expect(withOrigin).toEqual([]);
  await expectNoTrace(person);
});

test('a page with the origin of the content host registers no service worker', async () => {
  const person = await someone();
  const { page } = person;
  const scripts = uploads.filter(({ mediaType }) => mediaType === 'text/javascript').map(({ path }) => path);
  const worker = "self.addEventListener('fetch', (event) => event.respondWith(new Response('taken')))";
  const site = await uploadSite(perch.service, { 'index.html': '<p>x', 'sw.js': worker });
  const paths = [...scripts, ...scripts.map((path) => `${path}?raw=true`), `${site.path}/sw.js`];
  const embedding = await publish(perch.service, embeddingPage(paths));
  await page.goto(embedding.url);
  await page.waitForFunction("document.getElementById('found').textContent !== ''");
  const found: Embedded[] = JSON.parse(await inPage(page, "document.getElementById('found').textContent"));
  expect(await inPage<string>(page, 'window.origin')).toBe(perch.content);
  expect(found.map(({ serviceWorker }) => serviceWorker)).toEqual(paths.map(() => 'TypeError'));
  expect(await inPage<unknown[]>(page, 'navigator.serviceWorker.getRegistrations()')).toEqual([]);
  await expectNoTrace(person);
});

test('what is protected has no origin there either', async () => {
  const person = await someone();
  const html = uploads.find(({ name }) => name === 'page with a script')?.bytes ?? new Uint8Array();
  const options = { password: 'secret' };
  const file = await uploadFile(perch.service, 'page.html', html, options);
  const site = await uploadSite(perch.service, { 'index.html': html, 'page.xhtml': html }, options);
  const paths = [
    `${file.path}?raw=true&p=secret`,
    `${site.path}/?p=secret`,
    `${site.path}/page.xhtml?p=secret`,
  ];
  const opened = await openInTabs(
    person.context,
    paths.map((path) => perch.service + path),
  );
  expect(opened.map(({ shown }) => shown?.origin)).toEqual(['null', 'null', 'null']);
  expect(person.runs.map(({ origin }) => origin)).toEqual(['null', 'null']);
  await expectNoTrace(person);
});
