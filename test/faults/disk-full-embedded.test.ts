import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chmod, mkdtemp, rm, statfs, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { startKeyTraffic } from '../../infra/load/key-traffic.ts';
import { createDiskBlobStore } from '../../shared/adapters/blob/disk/store.ts';
import { newBlobKey } from '../../shared/ids.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import { content, listed, readWhole } from '../contracts/blob/contract.ts';
import { type Instance, startInstance } from '../instance.ts';
import { auditBlobs, databaseUrl } from './blob-audit.ts';
import { createPage, readRaw, summary } from './client.ts';
import { databaseServerOf, embeddedOf, loggedFailures } from './embedded-process.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { until, untilReady } from './waiting.ts';
import { createSite, MUCH, workWithoutRoom } from './without-room.ts';
import { prepareWorkload } from './workload.ts';

setDefaultTimeout(300_000);

const MB = 1_048_576;
const FULL = '503 STORAGE_FULL';

let folder: string;
let data: SmallDisk;
let blobs: SmallDisk;
let perch: Instance;
let ownPid: number | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-disk-full-'));
  await chmod(folder, 0o755);
  data = await mountSmallDisk(join(folder, 'data'), 300 * MB);
  blobs = await mountSmallDisk(join(folder, 'data/content'), 64 * MB);
  perch = await startInstance({
    mode: 'embedded',
    dir: folder,
    env: { BLOB_GRACE_SECONDS: '10', SWEEP_INTERVAL_SECONDS: '1', CACHE_MAX_BYTES: '0' },
  });
  [ownPid] = embeddedOf(perch).processes();
  expect(summary(await createPage(perch.url, { id: 'kept', content: '<p>kept' }))).toBe('201');
}, 300_000);
afterAll(async () => {
  await perch?.stop();
  await blobs?.unmount();
  await data?.unmount();
  await rm(folder, { recursive: true, force: true });
}, 300_000);

async function expectKept(): Promise<void> {
  expect(await readRaw(perch.url, '/faults/kept')).toMatchObject({ status: 200, text: '<p>kept' });
  expect(embeddedOf(perch).processes()[0]).toBe(ownPid);
}

test('the folder of the blobs is full', async () => {
  await workWithoutRoom(perch, {
    name: 'full',
    refusals: [FULL],
    takeAway: blobs.fill,
    giveBack: blobs.makeRoom,
  });
  await expectKept();
});

test('the folder of the blobs is read-only', async () => {
  await workWithoutRoom(perch, {
    name: 'read-only',
    refusals: ['503 UNAVAILABLE'],
    takeAway: blobs.makeReadOnly,
    giveBack: blobs.makeWritable,
  });
  await expectKept();
});

test('what a power cut took is missing while there is no room to restore it, and comes back once there is', async () => {
  const disk = await mountSmallDisk(join(folder, 'cut'), 4 * MB);
  const stores: BlobStore[] = [];
  const open = async (): Promise<BlobStore> => {
    const store = await createDiskBlobStore({ dir: join(folder, 'cut'), log: pino({ level: 'silent' }) });
    stores.push(store);
    return store;
  };
  const bytes = content(10_000);
  const [whole, emptied, other, lost] = [newBlobKey(), newBlobKey(), newBlobKey(), newBlobKey()];
  const keys = [whole, emptied, other, lost];
  const pathOf = (key: string): string => join(folder, 'cut', 'blobs', key);
  try {
    const store = await open();
    for (const key of keys) await store.put(key, bytes);
    await truncate(pathOf(emptied), 0);
    await writeFile(pathOf(other), new Uint8Array(bytes.length));
    await rm(pathOf(lost));
    await disk.fill();
    const full = await open();
    expect(await readWhole(full, whole)).toEqual(bytes);
    for (const key of await listed(full)) expect(await readWhole(full, key)).toEqual(bytes);
    await disk.makeRoom();
    const again = await open();
    for (const key of keys) expect(await readWhole(again, key)).toEqual(bytes);
  } finally {
    for (const store of stores) await store.close();
    await disk.unmount();
  }
});

test('blobs leave room on their disk, so that a database there can still remove them', async () => {
  const path = join(folder, 'kept-room');
  const disk = await mountSmallDisk(path, 64 * MB);
  const store = await createDiskBlobStore({ dir: path, log: pino({ level: 'silent' }) });
  const freeBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  };
  try {
    const bytes = content(MB);
    const keys: string[] = [];
    const refusal = async (): Promise<unknown> => {
      for (;;) {
        const key = newBlobKey();
        try {
          await store.put(key, bytes);
        } catch (error) {
          return error;
        }
        keys.push(key);
      }
    };
    expect(await refusal()).toMatchObject({ code: 'STORAGE_FULL' });
    expect(await freeBytes()).toBeWithin(3 * MB, 5 * MB);
    await writeFile(join(path, 'large'), bytes);
    await expect(store.putFile(newBlobKey(), join(path, 'large'))).rejects.toMatchObject({
      code: 'STORAGE_FULL',
    });
    const [first = '', ...others] = keys;
    expect(await readWhole(store, first)).toEqual(bytes);
    await store.remove(others.slice(0, 8));
    await store.put(newBlobKey(), bytes);
  } finally {
    await store.close();
    await disk.unmount();
  }
});

test('the disk of the database is full: what needs room is refused, nothing is half there, and it recovers', async () => {
  const traffic = await startKeyTraffic({ gateways: [perch.url] });
  await traffic.moreChanges(20);
  await data.fill();
  try {
    await until('values are refused', async () => traffic.refused() >= 20);
    // A site is spooled beside it.
    expect(summary(await createSite(perch.url, 'no-room', MUCH))).toBe(FULL);
    await expectKept();
  } finally {
    await data.makeRoom();
  }
  await traffic.moreChanges(20);
  await traffic.stop();
  expect(traffic.faults).toEqual([]);
  expect(traffic.refusals()).toContain(FULL);
  expect(await traffic.missing()).toEqual([]);
  expect(summary(await createSite(perch.url, 'no-room', MUCH))).toBe('201');
});

test('no room for the log of the database: its server ends, and is started again until there is', async () => {
  const before = await databaseServerOf(perch);
  const workload = await prepareWorkload([perch.url], { creates: 40, updates: 10 });
  const sql = postgres(await databaseUrl(perch), { max: 1, onnotice: () => undefined });
  // Before the disk is full: PostgreSQL may refuse a new connection when it cannot write its cache of the catalogue.
  await sql`select 1`;
  await data.fill();
  try {
    const writing = workload.run();
    await until('the server has ended', async () => {
      await sql`select pg_switch_wal()`.catch(() => undefined);
      return (await databaseServerOf(perch))?.pid !== before?.pid;
    });
    await writing;
    await expectKept();
  } finally {
    await data.makeRoom();
    await sql.end({ timeout: 1 });
  }
  await until('it writes again', async () =>
    ['201', '409 ID_TAKEN'].includes(summary(await createPage(perch.url, { id: 'log', content: '<p>log' }))),
  );
  await untilReady(perch.url);
  const { faults } = await workload.verify();
  expect(faults, await loggedFailures(perch)).toEqual([]);
  await expectKept();
});

test('after the sweeps the folder holds what the items refer to, and nothing else', async () => {
  expect(await auditBlobs(perch)).toMatchObject({ orphans: [], missing: [] });
});
