import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { metricOf } from '../../infra/faults/audit/access-log.ts';
import { startKeyTraffic } from '../../infra/load/key-traffic.ts';
import type { Instance } from '../instance.ts';
import { openAccessLog, startTraffic } from './access-traffic.ts';
import { auditBlobs } from './blob-audit.ts';
import { createPage, readRaw, removePage, send, summary, updatePage } from './client.ts';
import { loggedFailures } from './embedded-process.ts';
import { processesOf, serverOf, startOnOwnServers } from './own-servers.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { until, untilDown, untilReady } from './waiting.ts';
import { createSite, workWithoutRoom } from './without-room.ts';
import { prepareWorkload } from './workload.ts';

setDefaultTimeout(120_000);

const MB = 1_048_576;
/** JetStream takes no stream of 1 GB where there is less. */
const SIZES = { postgres: 300 * MB, 's3/data': 64 * MB, nats: 2_048 * MB, uploads: 16 * MB };

let folder: string;
let disks: Record<keyof typeof SIZES, SmallDisk>;
let perch: Instance;
let processes: number[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-disk-full-'));
  await chmod(folder, 0o755);
  const place = (name: string): string => join(folder, name === 'uploads' ? name : `servers/${name}`);
  const mounted: Array<[string, SmallDisk]> = [];
  for (const [name, size] of Object.entries(SIZES)) {
    mounted.push([name, await mountSmallDisk(place(name), size)]);
  }
  disks = Object.fromEntries(mounted) as typeof disks;
  perch = await startOnOwnServers({ BLOB_GRACE_SECONDS: '6' }, { dir: folder });
  processes = processesOf(perch);
  for (const id of ['hot', 'cold', 'removed']) {
    expect(summary(await createPage(perch.url, { id, content: `<p>${id}` }))).toBe('201');
  }
  expect(summary(await readRaw(perch.url, '/faults/hot'))).toBe('200');
}, 300_000);
afterAll(async () => {
  await perch?.stop();
  for (const disk of Object.values(disks ?? {})) await disk.unmount();
  await rm(folder, { recursive: true, force: true });
}, 300_000);

const FULL = '503 STORAGE_FULL';
const AWAY = ['503 UNAVAILABLE', '504 TIMEOUT'];

/** Existing items can be read, and no process of Perch had to be restarted. */
async function expectReads(...ids: string[]): Promise<void> {
  for (const id of ids) {
    expect(await readRaw(perch.url, `/faults/${id}`)).toMatchObject({ status: 200, text: `<p>${id}` });
  }
  expect(processesOf(perch)).toEqual(processes);
}

test('the disk of the S3 server is full, or read-only', async () => {
  const disk = disks['s3/data'];
  const away = '503 UNAVAILABLE';
  // MinIO says that it is full where it sees so before it begins to write.
  const full = { takeAway: disk.fill, giveBack: disk.makeRoom };
  await workWithoutRoom(perch, { name: 's3-full', refusals: [away, FULL], ...full });
  const readOnly = { takeAway: disk.makeReadOnly, giveBack: disk.makeWritable };
  await workWithoutRoom(perch, { name: 's3-read-only', refusals: [away], ...readOnly });
  await expectReads('hot', 'cold');
});

test('UPLOAD_DIR is full: sites are refused, all else goes on', async () => {
  await disks.uploads.fill(200_000);
  expect(summary(await createSite(perch.url, 'no-room', 400_000))).toBe(FULL);
  expect(summary(await createSite(perch.url, 'little-room', 50_000))).toBe('201');
  expect(summary(await readRaw(perch.url, '/faults/no-room'))).toBe('404 NOT_FOUND');
  expect(summary(await createPage(perch.url, { id: 'meanwhile', content: '<p>meanwhile' }))).toBe('201');
  await expectReads('hot', 'cold', 'meanwhile');
  await disks.uploads.makeRoom();
  expect(summary(await createSite(perch.url, 'no-room', 400_000))).toBe('201');
  await expectReads('hot');
});

test('the disk of NATS is full: requests go on, and their events are logged when it takes them again', async () => {
  const nats = serverOf(perch, 'nats');
  const accessLog = openAccessLog(perch);
  await disks.nats.fill();
  const traffic = startTraffic(perch.url, '/faults/hot', 'nats-full');
  await until('events wait', async () => (await metricOf(perch.url, 'access_events_buffered')) >= 500);
  expect(summary(await createPage(perch.url, { id: 'unlogged', content: '<p>new' }))).toBe('201');
  await disks.nats.makeRoom();
  // The server itself does not recover from it: it takes no more messages into the stream until it is started again.
  await nats.kill();
  await nats.start();
  await untilReady(perch.url);
  const answered = await traffic.end();
  expect(await accessLog.untilLogged('nats-full', answered.length)).toEqual(answered.toSorted());
  await accessLog.close();
  await expectReads('hot');
});

test('the disk of PostgreSQL is full: what needs room is refused, nothing is half there, and it recovers', async () => {
  const traffic = await startKeyTraffic({ gateways: [perch.url] });
  const workload = await prepareWorkload([perch.url], { creates: 60, updates: 20 });
  await traffic.moreChanges(20);
  await disks.postgres.fill();
  await until('values are refused', async () => traffic.refused() >= 20);
  await workload.run();
  await expectReads('hot', 'cold');

  await disks.postgres.makeRoom();
  await traffic.moreChanges(20);
  await traffic.stop();
  expect(traffic.faults).toEqual([]);
  expect(traffic.refusals()).toEqual([FULL]);
  expect(await traffic.missing()).toEqual([]);
  expect((await workload.verify()).faults, await loggedFailures(perch)).toEqual([]);
  await expectReads('hot', 'cold');
});

test('no room for the log of PostgreSQL: it ends, which is an outage like any other, and starts with room', async () => {
  const server = serverOf(perch, 'postgres');
  const workload = await prepareWorkload([perch.url], { creates: 40, updates: 10 });
  const sql = postgres(perch.env.PG_URL ?? '', { max: 1, onnotice: () => undefined });
  // Before the disk is full: PostgreSQL may refuse a new connection when it cannot write its cache of the catalogue.
  await sql`select 1`;
  await disks.postgres.fill();
  const writing = workload.run();
  await until('the server has ended', async () => {
    await sql`select pg_switch_wal()`.catch(() => undefined);
    return server.processes().length === 0;
  });
  await sql.end({ timeout: 1 });
  await writing;
  await untilDown(perch.url, 'content');
  expect(AWAY).toContain(summary(await createPage(perch.url, { id: 'no-log', content: '<p>new' })));
  await expectReads('hot');

  await disks.postgres.makeRoom();
  await server.start();
  await untilReady(perch.url);
  expect(summary(await createPage(perch.url, { id: 'no-log', content: '<p>new' }))).toBe('201');
  expect((await workload.verify()).faults).toEqual([]);
  await expectReads('hot', 'cold');
});

/** While PostgreSQL takes no changes: what is there can be read, from it, too. */
async function expectOnlyReads(): Promise<void> {
  expect(summary(await createPage(perch.url, { id: 'changed', content: '<p>new' }))).toBe('503 UNAVAILABLE');
  expect(summary(await updatePage(perch.url, '/faults/hot', '<p>x'))).toBe('503 UNAVAILABLE');
  expect(summary(await removePage(perch.url, '/faults/removed'))).toBe('503 UNAVAILABLE');
  await expectReads('hot', 'removed');
}

test('PostgreSQL takes no changes, as a standby: they are refused, and go on when it does', async () => {
  const sql = postgres(perch.env.PG_URL ?? '', { max: 1, onnotice: () => undefined });
  const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
    await sql.unsafe(`alter system set default_transaction_read_only = ${value}`);
    await sql`select pg_reload_conf()`;
  };
  await setReadOnly('on');
  try {
    await until('changes are refused', async () => {
      const seen = await createPage(perch.url, { content: '<p>any' });
      return summary(seen) === '503 UNAVAILABLE';
    });
    await expectOnlyReads();
    expect(summary(await send(`${perch.url}/api/gallery`))).toBe('200');
  } finally {
    await setReadOnly('off');
    await sql.end({ timeout: 1 });
  }
  await until('changes are taken again', async () =>
    ['201', '409 ID_TAKEN'].includes(
      summary(await createPage(perch.url, { id: 'changed', content: '<p>new' })),
    ),
  );
  await untilReady(perch.url);
});

test('the disk of PostgreSQL is read-only: it cannot start, which is an outage like any other', async () => {
  const server = serverOf(perch, 'postgres');
  await server.kill();
  await disks.postgres.makeReadOnly();
  try {
    await expect(server.start()).rejects.toThrow();
    await untilDown(perch.url, 'content');
    expect(AWAY).toContain(summary(await updatePage(perch.url, '/faults/hot', '<p>x')));
    await expectReads('hot');
  } finally {
    await disks.postgres.makeWritable();
  }
  await server.start();
  await untilReady(perch.url);
  expect(summary(await createPage(perch.url, { id: 'writable', content: '<p>new' }))).toBe('201');
  await expectReads('hot', 'cold');
});

test('after the sweeps the store holds what the items refer to, and nothing else', async () => {
  expect(await auditBlobs(perch)).toMatchObject({ orphans: [], missing: [] });
});
