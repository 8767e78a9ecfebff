import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Instance, startInstance } from '../instance.ts';
import { auditBlobs } from './blob-audit.ts';
import { createPage, readRaw, removePage, statusOf, summary, updatePage } from './client.ts';
import { untilDown, untilReady } from './waiting.ts';

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

test('no blob was left behind', async () => {
  expect(await auditBlobs(perch)).toMatchObject({ orphans: [], missing: [] });
});
