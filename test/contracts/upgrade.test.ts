import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import postgres from 'postgres';
import { ownEnvironment } from '../../infra/environment.ts';
import { type Servers, s3ConfigOf, startServers } from '../../infra/servers/all.ts';
import { until } from '../../infra/until.ts';
import { createDiskBlobStore } from '../../shared/adapters/blob/disk/store.ts';
import { createS3BlobStore } from '../../shared/adapters/blob/s3.ts';
import { startEmbeddedPostgres } from '../../shared/adapters/database/embedded/postgres.ts';
import { migrate } from '../../shared/adapters/database/migrate.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import { MIGRATIONS } from '../../shared/wiring/migrations.ts';
import { type Client, createClient, jsonOf, type Published } from '../acceptance/support/client.ts';
import { itemPath, KINDS } from '../acceptance/support/kinds.ts';
import type { Mode } from '../instance.ts';
import { distributedStores, embeddedStores, type Stores, startPerch } from '../running-perch.ts';
import { START_LIMIT_MS, temporaryFolder } from '../servers.ts';
import {
  type OldData,
  type OldItem,
  OWNER_TOKEN,
  PASSWORD,
  writeAllKinds,
  writeLeftovers,
  writePages,
} from './old-release-data.ts';

setDefaultTimeout(180_000);
const log = pino({ level: 'silent' });
let folder = '';
let servers: Servers;
const made: Stores[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  servers = await startServers({ use: ownEnvironment() });
}, START_LIMIT_MS);

afterAll(async () => {
  await Promise.all(made.map(({ drop }) => drop()));
  await servers.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The stores of an instance as the release with this schema left them when it was stopped. */
async function leftBy(schema: number, mode: Mode): Promise<{ stores: Stores; data: OldData }> {
  const env = { BLOB_GRACE_SECONDS: '12', ADMIN_PASSWORD: 'of the operator' };
  const stores = await (mode === 'embedded'
    ? embeddedStores(folder, env)
    : distributedStores(folder, servers.env, env));
  made.push(stores);
  const opened = new AsyncDisposableStack();
  const { url, blobs } = await openStores(stores, opened);
  await migrate(url, { directory: MIGRATIONS, log, upTo: schema });
  const sql = opened.adopt(postgres(url, { max: 1, onnotice: () => undefined }), (client) =>
    client.end({ timeout: 1 }),
  );
  const items = await (schema < 5 ? writePages : writeAllKinds)({ sql, blobs });
  const data = { items, ...(await writeLeftovers({ sql, blobs })) };
  await opened.disposeAsync();
  return { stores, data };
}

async function openStores({ mode, env }: Stores, opened: AsyncDisposableStack) {
  const close = (store: BlobStore) => store.close();
  if (mode === 'embedded') {
    const dataDir = env.DATA_DIR ?? '';
    await mkdir(dataDir);
    const server = opened.adopt(await startEmbeddedPostgres({ dataDir, log }), (one) => one.stop());
    const blobs = opened.adopt(await createDiskBlobStore({ dir: join(dataDir, 'content'), log }), close);
    return { url: server.url, blobs };
  }
  return { url: env.PG_URL ?? '', blobs: opened.adopt(await createS3BlobStore(s3ConfigOf(env)), close) };
}

/** Starts this release on them: all is there, and all can be used. */
async function expectUpgraded({ stores, data }: Awaited<ReturnType<typeof leftBy>>): Promise<void> {
  const perch = await startPerch(stores);
  try {
    const client = createClient(() => perch.url);
    for (const item of data.items) await expectUsable(client, item);
    expect((await client.request(`/public/${data.goneId}`)).status).toBe(410);
    expect((await client.request(`/my-pages/${data.goneId}`)).status).toBe(404);
    expect((await client.request('/s/gone001')).status).toBe(410);
    const stats = await jsonOf(await client.request('/api/stats'));
    expect(stats).toMatchObject({ totalCreated: data.items.length, activeItems: data.items.length });
    const gallery = await jsonOf<{ total: number }>(await client.request('/api/gallery?q=old'));
    const listed = data.items.filter(({ namespace, hasPassword }) => namespace === 'public' && !hasPassword);
    expect(gallery.total).toBe(listed.length);
    const admin = { headers: { 'X-Admin-Password': 'of the operator' } };
    const reports = await jsonOf<unknown[]>(await client.request('/api/admin/reports', admin));
    expect(reports).toMatchObject([{ status: 'new', description: 'It was reported long ago.' }]);
    const owned = await jsonOf<{ total: number }>(
      await client.request('/api/owner/items', { headers: { 'X-Owner-Token': OWNER_TOKEN } }),
    );
    expect(owned.total).toBe(data.items.length);
    await expectChangeable(client, data.items);
    await using opened = new AsyncDisposableStack();
    const blobs = await openBlobs(stores, opened);
    const isGone = async (key: string): Promise<boolean> => {
      const found = await blobs.open(key);
      await found?.body.cancel();
      return found === null;
    };
    await until('what the old release left to the sweeper is gone', async () =>
      (await Promise.all(data.trash.map(isGone))).every((gone) => gone),
    );
  } finally {
    await perch.stop();
  }
}

async function openBlobs({ mode, env }: Stores, opened: AsyncDisposableStack): Promise<BlobStore> {
  if (mode === 'distributed') return (await openStores({ mode, env } as Stores, opened)).blobs;
  return await createDiskBlobStore({ dir: join(env.DATA_DIR ?? '', 'content'), log });
}

async function expectUsable(client: Client, item: OldItem): Promise<void> {
  const path = `/${item.namespace}/${item.id}${item.at}`;
  const headers = item.hasPassword ? { 'X-Password': PASSWORD } : {};
  if (item.hasPassword) expect((await client.request(path)).status).toBe(403);
  const read = await client.request(path, { query: { raw: true }, headers });
  expect({ path, status: read.status }).toEqual({ path, status: 200 });
  expect(Buffer.from(await read.arrayBuffer()).toString('latin1')).toBe(item.bytes.toString('latin1'));
  expect(read.headers.get('X-Views')).toBe('1');
  const short = await client.request(`/s/${item.code}`);
  expect(short.headers.get('Location')).toEndWith(`/${item.namespace}/${item.id}`);
}

async function expectChangeable(client: Client, items: OldItem[]): Promise<void> {
  for (const item of items) {
    const kind = KINDS.find(({ name }) => name === item.kind);
    if (kind === undefined) throw new Error(`no kind ${item.kind}`);
    const path = itemPath(kind, item as unknown as Published);
    const owner = { 'X-Owner-Token': OWNER_TOKEN };
    if (kind.change !== null) {
      const { at, options } = kind.change;
      const request = { ...options, method: 'PUT', headers: { ...options.headers, ...owner } };
      expect((await client.request(`${path}${at}`, request)).status).toBe(200);
    }
    expect((await client.request(path, { method: 'DELETE', headers: owner })).status).toBe(204);
  }
  const left = await jsonOf<{ activeItems: number; totalDeleted: number }>(
    await (async () => {
      let answer = await client.request('/api/stats');
      await until('the statistics are anew', async () => {
        answer = await client.request('/api/stats');
        return ((await answer.clone().json()) as { activeItems: number }).activeItems === 0;
      });
      return answer;
    })(),
  );
  expect(left).toMatchObject({ activeItems: 0, totalDeleted: items.length, storedBytes: 0 });
}

test('what earlier releases have stored is all there after an upgrade, and can be used', async () => {
  await Promise.all([
    leftBy(4, 'embedded').then(expectUpgraded),
    leftBy(8, 'distributed').then(expectUpgraded),
    leftBy(5, 'embedded')
      .then(expectUpgraded)
      .then(() => leftBy(8, 'embedded'))
      .then(expectUpgraded),
  ]);
});
