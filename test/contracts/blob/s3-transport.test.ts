import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { promisify } from 'node:util';
import pino from 'pino';
import { createS3BlobStore } from '../../../shared/adapters/blob/s3.ts';
import { newBlobKey } from '../../../shared/ids.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';

setDefaultTimeout(60_000);

/** More than the client has sockets. */
const MANY = 300;
/** A busy machine takes its time to open 200 connections. */
const TIMEOUT_MS = 4_000;
const UNAVAILABLE = { code: 'UNAVAILABLE' };

type Trouble = 'none' | 'full' | 'busy' | 'silent' | 'silent halfway' | 'late' | 'closing' | 'denying';

/** An S3 server whose bucket is empty, as far as it is not in trouble: no real one hangs or is busy at will. */
async function startTroubled() {
  /** Number of requests that find their connection closed. */
  const state: { trouble: Trouble; hangUps: number; asked: number } = {
    trouble: 'none',
    hangUps: 0,
    asked: 0,
  };
  const kept = new WeakSet<Socket>();
  const broken = Promise.withResolvers<void>();
  const server = createServer(({ method, url = '', socket }, response) => {
    state.asked += 1;
    if (state.hangUps > 0) {
      state.hangUps -= 1;
      return socket.destroy();
    }
    if (state.trouble === 'closing' && kept.has(socket)) return socket.destroy();
    kept.add(socket);
    if (method === 'HEAD') return response.end();
    if (state.trouble === 'silent') return;
    if (state.trouble === 'late') {
      const answer = () => {
        response.once('close', broken.resolve);
        response.writeHead(200, { 'content-length': 20 }).write(Buffer.alloc(10));
      };
      return setTimeout(() => (state.asked === 1 ? socket.destroy() : answer()), 0.7 * TIMEOUT_MS);
    }
    if (state.trouble === 'silent halfway') {
      return response.writeHead(200, { 'content-length': 20 }).write(Buffer.alloc(10));
    }
    if (state.trouble === 'full') {
      return response.writeHead(507).end('<Error><Code>XMinioStorageFull</Code></Error>');
    }
    if (method === 'PUT' && ['none', 'closing'].includes(state.trouble))
      return response.writeHead(200, { etag: '"x"' }).end();
    if (state.trouble === 'denying' && url.includes('?uploads'))
      return response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    const [status, code] = state.trouble === 'busy' ? [503, 'SlowDown'] : [404, 'NoSuchKey'];
    return response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    state,
    /** Resolves when an answer that was begun late is broken off. */
    broken: broken.promise,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      await promisify(server.close).call(server);
    },
  };
}

let server: Awaited<ReturnType<typeof startTroubled>>;
let store: BlobStore;
let said: string[];

beforeEach(async () => {
  server = await startTroubled();
  said = [];
  store = await createS3BlobStore({
    endpoint: server.url,
    accessKey: 'key',
    secretKey: 'secret',
    bucket: 'perch',
    region: 'us-east-1',
    timeoutMs: TIMEOUT_MS,
    log: pino({}, { write: (line) => void said.push(line) }),
  });
});
afterEach(async () => {
  await store.close();
  await server.stop();
});

test('answers of a busy server hold no sockets', async () => {
  server.state.trouble = 'busy';
  for (let count = 0; count < MANY; count++) {
    await expect(store.open(newBlobKey())).rejects.toMatchObject({
      ...UNAVAILABLE,
      cause: { message: expect.stringContaining('503') },
    });
  }
  server.state.trouble = 'none';
  expect(await store.open(newBlobKey())).toBeNull();
});

test('requests without an answer hold no sockets once they have timed out', async () => {
  server.state.trouble = 'silent';
  const asked = await Promise.allSettled(Array.from({ length: MANY }, () => store.open(newBlobKey())));
  for (const outcome of asked) expect(outcome).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
  server.state.trouble = 'none';
  expect(await store.open(newBlobKey())).toBeNull();
});

test('a request whose connection is closed under it is sent again, twice', async () => {
  const works: Array<() => Promise<unknown>> = [
    () => store.put(newBlobKey(), new Uint8Array(10)),
    () => store.open(newBlobKey()),
    () => store.open(newBlobKey(), { start: 0, end: 9 }),
    () => store.check(),
  ];
  for (const work of works) {
    server.state.hangUps = 2;
    await work();
    Object.assign(server.state, { hangUps: Number.POSITIVE_INFINITY, asked: 0 });
    await expect(work()).rejects.toMatchObject({ ...UNAVAILABLE, cause: { code: 'ECONNRESET' } });
    expect(server.state.asked).toBe(3);
    server.state.hangUps = 0;
  }
});

test('many whose connections are closed at once are all sent again', async () => {
  const puts = () => Array.from({ length: 100 }, () => store.put(newBlobKey(), new Uint8Array(10)));
  await Promise.all(puts());
  server.state.trouble = 'closing';
  await Promise.all(puts());
});

test('an answer that begins when nobody waits for it any more is broken off', async () => {
  Object.assign(server.state, { trouble: 'late', asked: 0 });
  await expect(store.open(newBlobKey())).rejects.toMatchObject(UNAVAILABLE);
  expect(server.state.asked).toBe(2);
  await server.broken;
});

test('a body that stops halfway fails its reader and holds no socket', async () => {
  server.state.trouble = 'silent halfway';
  const blobs = await Promise.all(Array.from({ length: 200 }, () => store.open(newBlobKey())));
  const read = await Promise.allSettled(blobs.map((blob) => new Response(blob?.body).bytes()));
  for (const outcome of read) expect(outcome).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
  const again = await Promise.all(Array.from({ length: 200 }, () => store.open(newBlobKey())));
  await Promise.all(again.map((blob) => blob?.body.cancel()));
  server.state.trouble = 'none';
  expect(await store.open(newBlobKey())).toBeNull();
});

test('a server without room: STORAGE_FULL, which is not being away', async () => {
  server.state.trouble = 'full';
  const full = { code: 'STORAGE_FULL', retryAfter: 30 };
  await expect(store.put(newBlobKey(), new Uint8Array(10))).rejects.toMatchObject(full);
  await store.check();
});

test('blobs are removed though the key may not list unfinished uploads, which is said once', async () => {
  server.state.trouble = 'denying';
  await store.remove([newBlobKey(), newBlobKey()]);
  await store.remove([newBlobKey()]);
  expect(said).toEqual([expect.stringContaining('ListBucketMultipartUploads')]);
});
