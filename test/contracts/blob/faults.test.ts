import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'minio';
import pino from 'pino';
import { type S3Server, startS3 } from '../../../infra/servers/s3.ts';
import { findSegments, recordsOf } from '../../../shared/adapters/blob/disk/segment.ts';
import { createDiskBlobStore } from '../../../shared/adapters/blob/disk/store.ts';
import { createS3BlobStore, type S3BlobStoreOptions } from '../../../shared/adapters/blob/s3.ts';
import { newBlobKey } from '../../../shared/ids.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import { pauseServer, START_LIMIT_MS, startOwn, temporaryFolder } from '../../servers.ts';
import { type WriterOptions, written } from './blob-writer.ts';
import { readWhole } from './contract.ts';
import { withFileSizeLimit } from './file-size-limit.ts';
import { blobStoreOutageContract } from './outage-contract.ts';

const log = pino({ level: 'silent' });

setDefaultTimeout(60_000);
const LARGE = 2_000_000;
const SMALL = 10_000;
let folder: string;
let server: S3Server & { end(): Promise<void> };
const dir = (name: string): string => join(folder, name);
const s3 = (bucket: string, timeoutMs = 20_000): S3BlobStoreOptions => {
  const { endpoint, accessKey, secretKey, region } = server;
  return { endpoint, accessKey, secretKey, region, bucket, timeoutMs };
};

beforeAll(async () => {
  folder = await temporaryFolder();
  server = await startOwn(startS3);
}, START_LIMIT_MS);

afterAll(async () => {
  await server?.end();
  await rm(folder, { recursive: true, force: true });
}, START_LIMIT_MS);

blobStoreOutageContract('disk', {
  open: () => createDiskBlobStore({ dir: dir('outages'), log }),
  outages: [
    {
      name: 'folder moved away',
      begin: () => rename(dir('outages'), dir('outages.away')),
      end: () => rename(dir('outages.away'), dir('outages')),
    },
    {
      name: 'only the blobs moved away',
      begin: () => rename(dir('outages/blobs'), dir('blobs.away')),
      end: () => rename(dir('blobs.away'), dir('outages/blobs')),
    },
    {
      name: 'a file in place of the folder',
      async begin() {
        await rename(dir('outages'), dir('outages.away'));
        await writeFile(dir('outages'), '');
      },
      async end() {
        await rm(dir('outages'));
        await rename(dir('outages.away'), dir('outages'));
      },
    },
    {
      name: 'a file in place of the blobs',
      async begin() {
        await rename(dir('outages/blobs'), dir('blobs.away'));
        await writeFile(dir('outages/blobs'), '');
      },
      async end() {
        await rm(dir('outages/blobs'));
        await rename(dir('blobs.away'), dir('outages/blobs'));
      },
    },
  ],
  close: async () => undefined,
});

blobStoreOutageContract('S3', {
  open: () => createS3BlobStore(s3('outages', 1_000)),
  outages: [
    { name: 'server killed', begin: () => server.kill(), end: () => server.start() },
    { name: 'server paused', begin: () => pauseServer(server), end: async () => server.resume() },
  ],
  close: async () => undefined,
});

interface Killed {
  begun: string[];
  put: string[];
  refused: string[];
}

/**
 * Starts a writer, kills it midway, and returns what it had begun and what it had put.
 * @param before a command that is given the writer's
 * @param atEnd lets it end by itself
 */
async function killWriter(
  options: WriterOptions,
  { before = [], atEnd = false }: { before?: string[]; atEnd?: boolean } = {},
): Promise<Killed> {
  const command = [process.execPath, join(import.meta.dir, 'blob-writer.ts'), JSON.stringify(options)];
  const writer = Bun.spawn([...before, ...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' });
  let said = '';
  try {
    for await (const chunk of writer.stdout) {
      said += Buffer.from(chunk).toString();
      if (atEnd || said.split('put ').length <= 5) continue;
      await Bun.sleep(Math.random() * 20);
      writer.kill('SIGKILL');
    }
  } finally {
    writer.kill('SIGKILL');
    await writer.exited;
  }
  const lines = said.split('\n');
  const named = (what: string) =>
    lines.filter((line) => line.startsWith(`${what} `)).map((line) => line.slice(what.length + 1));
  return { begun: named('begun'), put: named('put'), refused: named('refused') };
}

async function expectWholeOrNothing(
  store: BlobStore,
  { begun, put, bytes }: { begun: string[]; put: string[]; bytes: number },
): Promise<void> {
  expect(put.length).toBeGreaterThan(0);
  const visible: string[] = [];
  for await (const key of store.list()) visible.push(key);
  expect(put.filter((key) => !visible.includes(key))).toEqual([]);
  expect(visible.filter((key) => !begun.includes(key))).toEqual([]);
  for (const key of visible) expect(Bun.hash(await readWhole(store, key))).toBe(Bun.hash(written(bytes)));
}

test('disk: a process killed while it puts leaves whole blobs or none, and its leftovers go at the next start', async () => {
  const killed = { begun: [] as string[], put: [] as string[] };
  for (let round = 0; round < 3; round++) {
    const { begun, put } = await killWriter({ dir: dir('killed'), bytes: LARGE, atOnce: 1 });
    killed.begun.push(...begun);
    killed.put.push(...put);
  }
  await writeFile(dir('killed/incoming/leftover'), 'half a blob');
  const store = await createDiskBlobStore({ dir: dir('killed'), log });
  expect(await readdir(dir('killed/incoming'))).toEqual([]);
  await expectWholeOrNothing(store, { ...killed, bytes: LARGE });
  await store.close();
});

test(
  'S3: a process killed while it puts leaves whole blobs or none',
  async () => {
    const killed = await killWriter({ ...s3('killed'), bytes: LARGE, atOnce: 1 });
    const store = await createS3BlobStore(s3('killed'));
    await expectWholeOrNothing(store, { ...killed, bytes: LARGE });
    await store.close();
  },
  START_LIMIT_MS,
);

test('disk: small blobs that a killed process put outlive a power cut, whole or not at all', async () => {
  const at = dir('killed-small');
  const killed = await killWriter({ dir: at, bytes: SMALL, atOnce: 8 });
  await rm(join(at, 'blobs'), { recursive: true });
  const store = await createDiskBlobStore({ dir: at, log });
  await expectWholeOrNothing(store, { ...killed, bytes: SMALL });
  await store.close();
});

test('disk: a journal that is cut off by a full disk loses no blob that was put before or later', async () => {
  const at = dir('cut-off');
  // Refused amid a write: each segment ends in a part of a record.
  const before = withFileSizeLimit(64);
  const killed = await killWriter({ dir: at, bytes: SMALL, atOnce: 8 }, { before, atEnd: true });
  // Where the journal takes no more a blob is durable by itself.
  expect(killed.refused).toEqual([]);
  // More than a file may have.
  expect(killed.put.length * SMALL).toBeGreaterThan(65_536);
  // Only what is in the journal may be missing from the disk.
  const journaled: string[] = [];
  for (const segment of await findSegments(join(at, 'journal')))
    for (const { key } of await recordsOf(segment)) journaled.push(key);
  await Promise.all(journaled.map((key) => rm(join(at, 'blobs', key), { force: true })));
  const store = await createDiskBlobStore({ dir: at, log });
  await expectWholeOrNothing(store, { ...killed, bytes: SMALL });
  await store.close();
});

test('disk: a put that fails leaves nothing, and strange files do not show', async () => {
  const store = await createDiskBlobStore({ dir: dir('strange'), log });
  const key = newBlobKey();
  await mkdir(dir(`strange/blobs/${key}`), { recursive: true });
  await writeFile(dir(`strange/blobs/${key}/inside`), '');
  await writeFile(dir('strange/blobs/.DS_Store'), '');
  await expect(store.put(key, new Uint8Array(3))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await readdir(dir('strange/incoming'))).toEqual([]);
  await rm(dir(`strange/blobs/${key}`), { recursive: true });
  const keys: string[] = [];
  for await (const found of store.list()) keys.push(found);
  expect(keys).toEqual([]);
});

test(
  'S3: a body whose server is lost on the way fails instead of ending early',
  async () => {
    const store = await createS3BlobStore(s3('cut'));
    const key = newBlobKey();
    await store.put(key, new Uint8Array(60_000_000));
    const blob = await store.open(key);
    await server.kill();
    const read = blob ? new Response(blob.body).arrayBuffer() : null;
    await expect(read).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await server.start();
    await store.remove([key]);
    await store.close();
  },
  START_LIMIT_MS,
);

/** Ids of the multipart uploads of a key that are neither complete nor aborted. */
async function unfinishedUploads(bucket: string, key: string): Promise<string[]> {
  const { hostname, port } = new URL(server.endpoint);
  const { accessKey, secretKey, region } = server;
  const address = { endPoint: hostname, port: Number(port), useSSL: false, pathStyle: true };
  const client = new Client({ ...address, accessKey, secretKey, region });
  const { uploads } = await client.listIncompleteUploadsQuery(bucket, key, '', '', '/');
  return uploads.map(({ uploadId }) => uploadId);
}

/** Begins to put a file that takes many parts, and returns once the server has the first of it. */
async function beginUpload(bucket: string) {
  const store = await createS3BlobStore(s3(bucket));
  const path = dir(`${bucket}.file`);
  await writeFile(path, '');
  await truncate(path, 400_000_000);
  const key = newBlobKey();
  const upload = store.putFile(key, path).catch((error: unknown) => error);
  while ((await unfinishedUploads(bucket, key)).length === 0) await Bun.sleep(5);
  return { store, path, key, upload };
}

test('S3: a file that shrinks while it is put is not stored cut off', async () => {
  const { store, path, key, upload } = await beginUpload('shrinking');
  await truncate(path, 8_500_000);
  expect(await upload).toMatchObject({ code: 'UNAVAILABLE' });
  expect(await store.open(key)).toBeNull();
  expect(await unfinishedUploads('shrinking', key)).toEqual([]);
  await store.close();
});

test(
  'S3: a server lost while a file is put leaves nothing to see, and removal takes the rest',
  async () => {
    const { store, key, upload } = await beginUpload('lost');
    await server.kill();
    expect(await upload).toMatchObject({ code: 'UNAVAILABLE' });
    await server.start();
    expect(await store.open(key)).toBeNull();
    await store.remove([key]);
    expect(await unfinishedUploads('lost', key)).toEqual([]);
    await store.close();
  },
  START_LIMIT_MS,
);

test('disk: a file that cannot be copied leaves nothing', async () => {
  const store = await createDiskBlobStore({ dir: dir('uncopied'), log });
  const key = newBlobKey();
  await expect(store.putFile(key, folder)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await store.open(key)).toBeNull();
  expect(await readdir(dir('uncopied/incoming'))).toEqual([]);
});
