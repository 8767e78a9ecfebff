import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createFairBudget } from '../../../services/gateway/admission/fair-budget.ts';
import { createMemoryBudget } from '../../../services/gateway/admission/memory-budget.ts';
import type { SiteDependencies } from '../../../services/gateway/kinds/sites/dependencies.ts';
import { createSpool } from '../../../services/gateway/kinds/sites/spool.ts';
import { spoolSiteUpload } from '../../../services/gateway/kinds/sites/spool-upload.ts';
import { storeSiteUpload, WORKING_BYTES } from '../../../services/gateway/kinds/sites/store-upload.ts';
import { createDiskBlobStore } from '../../../shared/adapters/blob/disk/store.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { errors } from '../../../shared/errors.ts';
import { newBlobKey } from '../../../shared/ids.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import { contextWith } from './request-context.ts';

const log = pino({ level: 'silent' });

let dir: string;
let blobs: BlobStore;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'perch-store-site-'));
  blobs = await createDiskBlobStore({ dir: join(dir, 'blobs'), log });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const HOUR = 3_600_000;
const refuse = () => errors.refused('no room');

async function dependencies(changes: Partial<SiteDependencies>): Promise<SiteDependencies> {
  const log = pino({ level: 'silent' });
  const deps: Partial<SiteDependencies> = {
    blobs,
    log,
    clock: { now: Date.now },
    bus: createInProcessBus({ maxPayloadBytes: 1_000_000 }),
    spool: await createSpool({ dir: join(dir, crypto.randomUUID()), log }),
    blobKeys: {
      take: async () => ({ key: newBlobKey(), until: Date.now() + HOUR }),
      trash: async () => undefined,
      discard: () => undefined,
      clock: { now: Date.now },
    },
    budget: createMemoryBudget(refuse),
    config: { siteMaxBytes: 1_000_000, blobGraceMs: HOUR } as SiteDependencies['config'],
    ...changes,
  };
  return deps as SiteDependencies;
}

const BYTES = 100_000;

async function siteUpload() {
  const form = new FormData();
  form.append('files', new Blob(['<p>a site'.padEnd(BYTES)]), 'index.html');
  const body = new Response(form);
  const type = { 'Content-Type': body.headers.get('content-type') ?? '' };
  return contextWith(new Uint8Array(await body.arrayBuffer()), type);
}

test('an upload that has the reserve on the disk unpacks into it, however little others have left', async () => {
  const total = 6 * BYTES;
  // For the largest site twice, as in a gateway: as it came, and unpacked.
  const diskBudget = createFairBudget({ total, reserve: 3 * BYTES, refuse, waitMs: 20 });
  for (const client of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) diskBudget.open(client).takeUpTo(total);
  const deps = await dependencies({ diskBudget });
  const context = await siteUpload();
  const upload = await spoolSiteUpload(deps, context);
  const other = diskBudget.open('203.0.113.4').take(BYTES);
  await expect(other).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect((await storeSiteUpload(deps, context, upload)).packed.totalSizeBytes).toBe(BYTES);
  await upload.remove();
  context.end();
  await diskBudget.open('203.0.113.4').take(BYTES);
});

test('a site whose index cannot be stored leaves no put under way, and nothing on the disk', async () => {
  let puts = 0;
  const failing: BlobStore = {
    ...blobs,
    put: async () => {
      await Bun.sleep(20);
      throw errors.unavailable('content store');
    },
    async putFile(key, path) {
      puts += 1;
      await Bun.sleep(200);
      await blobs.putFile(key, path);
      puts -= 1;
    },
  };
  const diskBudget = createFairBudget({ total: 10 * BYTES, refuse });
  const deps = await dependencies({ blobs: failing, diskBudget });
  const context = await siteUpload();
  const upload = await spoolSiteUpload(deps, context);
  await expect(storeSiteUpload(deps, context, upload)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(puts).toBe(0);
  const folder = join(upload.path, '..');
  await upload.remove();
  context.end();
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  [-1, 0],
  [0, 1],
  [1, 1],
])(
  'an upload is opened once there is memory for its directory (%d bytes more: %d times)',
  async (more, times) => {
    // One client alone gets half.
    const large = createFairBudget({ total: 2 * (WORKING_BYTES + more), refuse, waitMs: 20 });
    const budget = { small: createMemoryBudget(refuse).small, large };
    const deps = await dependencies({ budget, diskBudget: createFairBudget({ total: 10 * BYTES, refuse }) });
    const context = await siteUpload();
    const spooled = await spoolSiteUpload(deps, context);
    let opened = 0;
    const open = () => {
      opened += 1;
      return spooled.open();
    };
    const storing = storeSiteUpload(deps, context, { ...spooled, open });
    if (more < 0) await expect(storing).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    else expect((await storing).packed.totalSizeBytes).toBe(BYTES);
    expect(opened).toBe(times);
    await spooled.remove();
    context.end();
    // All of it is free again.
    expect(large.open('203.0.113.1').tryTake(WORKING_BYTES + more)).toBe(true);
  },
);

test('an upload that waits for room on the disk has its memory, and gives it back when it finds none', async () => {
  const budget = createMemoryBudget(refuse);
  const diskBudget = createFairBudget({ total: 3 * BYTES, refuse, waitMs: 20 });
  const deps = await dependencies({ budget, diskBudget });
  const context = await siteUpload();
  const upload = await spoolSiteUpload(deps, context);
  await expect(storeSiteUpload(deps, context, upload)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await upload.remove();
  context.end();
  expect(budget.large.open('203.0.113.1').tryTake(96 * 1_048_576)).toBe(true);
});
