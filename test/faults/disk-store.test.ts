import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { type Instance, startInstance } from '../instance.ts';
import { auditBlobs } from './blob-audit.ts';
import {
  createPage,
  OWNER_TOKEN,
  readRaw,
  removePage,
  send,
  statusOf,
  summary,
  updatePage,
} from './client.ts';
import { until, untilDown, untilReady } from './waiting.ts';

setDefaultTimeout(120_000);

/** Long enough for a discarded blob to fall due and for a sweep to come by. */
const PAST_GRACE_MS = 8_000;

let perch: Instance;
let store: string;

beforeAll(async () => {
  perch = await startInstance({
    mode: 'embedded',
    env: { BLOB_GRACE_SECONDS: '6', SWEEP_INTERVAL_SECONDS: '1', CACHE_MAX_BYTES: '0' },
  });
  store = join(perch.dir, 'content');
}, 300_000);
afterAll(() => perch?.stop(), 300_000);

test('the blob folder is away, empty or no folder: 503, and all is back when it is', async () => {
  const kept = '/faults/kept';
  expect(summary(await createPage(perch.url, { id: 'kept', content: '<p>kept' }))).toBe('201');
  expect(summary(await createPage(perch.url, { id: 'removed', content: '<p>gone' }))).toBe('201');

  await rename(store, `${store}.away`);
  const refuses = async (): Promise<void> => {
    await untilDown(perch.url, 'blobs');
    const create = await createPage(perch.url, { id: 'meanwhile', content: '<p>new' });
    expect(summary(create)).toBe('503 UNAVAILABLE');
    expect(summary(await updatePage(perch.url, kept, '<p>new'))).toBe('503 UNAVAILABLE');
    expect(summary(await readRaw(perch.url, kept))).toBe('503 UNAVAILABLE');
  };
  try {
    // The removed page's blob falls due while the store is away: the sweeper must not take it for deleted.
    expect(statusOf(await removePage(perch.url, '/faults/removed'))).toBe(204);
    await refuses();
    await mkdir(store);
    await refuses();
    await Bun.sleep(PAST_GRACE_MS);
    expect(await readdir(store)).toEqual([]);
    await rm(store, { recursive: true });
    await Bun.write(store, 'a file in its place');
    await refuses();
  } finally {
    await rm(store, { recursive: true, force: true });
    await rename(`${store}.away`, store);
  }

  await untilReady(perch.url);
  expect(await readRaw(perch.url, kept)).toMatchObject({ status: 200, text: '<p>kept' });
  expect(statusOf(await readRaw(perch.url, '/faults/meanwhile'))).toBe(404);
  expect(summary(await createPage(perch.url, { id: 'meanwhile', content: '<p>new' }))).toBe('201');
});

/** Cuts the files of all blobs to half of their length. Returns what writes them again. */
async function cutBlobs(): Promise<() => Promise<void>> {
  const blobs = join(store, 'blobs');
  const entries = await readdir(blobs, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const whole = await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const));
  for (const [path, bytes] of whole) await truncate(path, Math.floor(bytes.length / 2));
  return async () => {
    // The sweeper may have removed some.
    for (const [path, bytes] of whole) if (await Bun.file(path).exists()) await writeFile(path, bytes);
  };
}

test('blobs are cut off: 503 instead of half a content, and a site is mended by a replacement', async () => {
  const headers = { 'X-Owner-Token': OWNER_TOKEN };
  const siteOf = (text: string) =>
    zipSync({ 'a.html': Buffer.from(`<p>${text}`), 'b.html': Buffer.from(`<p>${text}, too`) });
  const create = (kind: string, body: RequestInit['body'], type: Record<string, string> = {}) =>
    send(`${perch.url}/api/${kind}`, { method: 'POST', headers: { ...headers, ...type }, body });
  const file = new FormData();
  file.append('file', new File(['a text'], 'a.txt'));
  const zip = { 'Content-Type': 'application/zip' };
  for (const created of [
    await createPage(perch.url, { id: 'cut', content: '<p>whole' }),
    await createPage(perch.url, { id: 'cut-markdown', content: '# whole', type: 'text/markdown' }),
    await create('json?ns=faults&id=cut-json', '{"whole":1}', { 'Content-Type': 'application/json' }),
    await create('files?ns=faults&id=cut-file', file),
    await create('sites?ns=faults&id=cut-site&entry=b.html', siteOf('first'), zip),
  ])
    expect(summary(created)).toBe('201');
  const PATHS = [
    '/cut',
    '/cut?raw=true',
    '/cut-markdown',
    '/cut-markdown?raw=true',
    '/cut-json',
    '/cut-file?raw=true',
    '/cut-site/',
    '/cut-site/a.html',
  ];
  const readAll = () =>
    Promise.all(PATHS.map(async (path) => summary(await send(`${perch.url}/faults${path}`))));
  const view = async () =>
    statusOf(await send(`${perch.url}/faults/cut-file`, { headers: { Accept: 'text/html' } }));

  const mend = await cutBlobs();
  expect(await readAll()).toEqual(PATHS.map(() => '503 UNAVAILABLE'));
  expect(await view()).toBe(503);
  const sources = ['html/faults/cut/source', 'sites/faults/cut-site'];
  for (const path of sources)
    expect(summary(await send(`${perch.url}/api/${path}`, { headers }))).toBe('503 UNAVAILABLE');
  const replaced = await send(`${perch.url}/api/sites/faults/cut-site?entry=b.html`, {
    method: 'PUT',
    headers: { ...headers, ...zip },
    body: siteOf('second'),
  });
  expect(summary(replaced)).toBe('200');
  expect(await send(`${perch.url}/faults/cut-site/`)).toMatchObject({ status: 200, text: '<p>second, too' });
  await mend();
  expect(await readAll()).toEqual(PATHS.map(() => '200'));
  expect(await view()).toBe(200);
});

test('a picture of the gallery is cut off: the general one instead', async () => {
  const published = { namespace: 'public', id: 'cut-picture', content: '<p>drawn for the gallery' };
  expect(summary(await createPage(perch.url, published))).toBe('201');
  let address = '';
  await until('it has a picture', async () => {
    const gallery = await send(`${perch.url}/gallery`);
    address =
      (gallery.answered
        ? /src="([^"]*\/gallery\/pictures\/cut-picture\/[^"]+)"/.exec(gallery.text)
        : null)?.[1] ?? '';
    return address !== '';
  });
  const picture = async () => statusOf(await send(`${perch.url}${address}`, { redirect: 'manual' }));
  const mend = await cutBlobs();
  expect(await picture()).toBe(302);
  await mend();
  expect(await picture()).toBe(200);
});

test('no blob was left behind', async () => {
  expect(await auditBlobs(perch)).toMatchObject({ orphans: [], missing: [] });
});
