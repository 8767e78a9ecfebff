import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createFairBudget } from '../../../services/gateway/admission/fair-budget.ts';
import { connectionOf } from '../../../services/gateway/http/client.ts';
import type { ReadPace } from '../../../services/gateway/items/answer-watch.ts';
import { createByteCache } from '../../../services/gateway/items/byte-cache.ts';
import { createContentReader } from '../../../services/gateway/items/content-reader.ts';
import { createLongReads } from '../../../services/gateway/items/long-reads.ts';
import { createTemporaryCopies } from '../../../services/gateway/items/temporary-copies.ts';
import { createDiskBlobStore } from '../../../shared/adapters/blob/disk/store.ts';
import { errors } from '../../../shared/errors.ts';
import { newBlobKey } from '../../../shared/ids.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import { eventually } from '../../acceptance/support/concurrency.ts';
import { content } from '../../contracts/blob/contract.ts';

const log = pino({ level: 'silent' });

/** More than the buffers of the kernel between a server and a reader who takes nothing. */
const SIZE = 20_000_000;
const bytes = content(SIZE);

const cleanUps: Array<() => unknown> = [];
let dir: string;
let disk: BlobStore;
let key: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'perch-sent-files-'));
  disk = await createDiskBlobStore({ dir, log });
  key = newBlobKey();
  await disk.put(key, bytes);
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  await rm(dir, { recursive: true, force: true });
});

/** As S3: a store whose blobs are no files of this machine. */
function distant({ openFile: _, ...store }: BlobStore): BlobStore {
  return store;
}

/** The store, and whether a blob of it has been opened. */
function watched(store: BlobStore): { blobs: BlobStore; isOpened(): boolean } {
  let opened = 0;
  const { openFile } = store;
  const noted = async <T>(opening: Promise<T>): Promise<T> => {
    const blob = await opening;
    opened += 1;
    return blob;
  };
  const blobs: BlobStore = {
    ...store,
    open: (...asked) => noted(store.open(...asked)),
    ...(openFile === undefined ? {} : { openFile: (asked) => noted(openFile(asked)) }),
  };
  return { blobs, isOpened: () => opened > 0 };
}

interface Options {
  blobs: BlobStore;
  /** Bytes of copies. */
  room?: number;
  limitMs?: number;
  pace?: ReadPace;
  /** Bun's, in seconds: checked every four seconds only, so that one of 4 may end a connection at once. */
  idleTimeout?: number;
}

/** No reader of these tests is so slow. */
const ANY_PACE: ReadPace = { windowMs: 600_000, minBytes: 1 };

/** A server of one blob, and what its reads hold. */
function serve({ blobs, room = 10 * SIZE, limitMs = 20_000, pace = ANY_PACE, idleTimeout = 240 }: Options) {
  let slow = 0;
  const refuse = () => errors.refused('long-reads');
  const slots = createFairBudget({ total: 4, refuse, waitMs: 20 });
  const copied = createFairBudget({ total: room, refuse });
  const copies = createTemporaryCopies({
    room: copied,
    limitMs,
    async openFile() {
      const path = join(dir, 'copy');
      const file = await open(path, 'wx+');
      await rm(path);
      return file;
    },
  });
  // Parts below 1 MB are in memory: `response-memory.test.ts` asks for their room.
  const responseMemory = { hold: async () => undefined, holdMade: () => undefined };
  const longReads = createLongReads({ slots, pace, onSlow: () => void slow++ });
  const reader = createContentReader(blobs, createByteCache(0), longReads, copies, responseMemory);
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout,
    error: () => new Response(null, { status: 500 }),
    async fetch(request) {
      const [, start = '0', end = ''] = /bytes=(\d+)-(\d*)/.exec(request.headers.get('x-part') ?? '') ?? [];
      const range = { start: Number(start), end: end === '' ? SIZE - 1 : Number(end) };
      const of = { clientKey: 'a', connection: connectionOf(request, server) };
      const body = await reader.read({ blobKey: key, offset: 0, length: SIZE }, range, of);
      return new Response(body, { headers: { 'Content-Type': 'video/mp4', 'X-Own': '1' } });
    },
  });
  cleanUps.push(() => server.stop(true));
  const free = (budget: typeof slots, amount: number): boolean => {
    const holding = budget.open('probe');
    const fits = holding.tryTake(amount);
    holding.release();
    return fits;
  };
  return { server, isFree: () => free(slots, 2) && free(copied, room / 2), slow: () => slow };
}

/** A reader who asks and takes nothing until it is told to. */
function standStill(port: number | undefined): {
  socket: Socket;
  rest(): Promise<Buffer>;
} {
  const socket = connect(port ?? 0, '127.0.0.1');
  const got: Buffer[] = [];
  let closed = false;
  socket
    .on('error', () => undefined)
    .on('close', () => {
      closed = true;
    });
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: perch\r\nConnection: close\r\n\r\n');
  cleanUps.push(() => socket.destroy());
  return {
    socket,
    async rest() {
      socket.on('data', (chunk: Buffer) => got.push(chunk)).resume();
      await eventually(() => closed);
      const all = Buffer.concat(got);
      return all.subarray(all.indexOf('\r\n\r\n') + 4);
    },
  };
}

const openFiles = (): number => readdirSync('/proc/self/fd').length;

describe.each([
  ['files of this machine', (store: BlobStore) => store],
  ['another machine', distant],
])('blobs of %s', (_, from) => {
  test('are sent with their length, whole and in part, also where the request asks for another part', async () => {
    const { server, isFree } = serve({ blobs: from(disk) });
    const before = openFiles();
    for (const [part, start, end] of [
      ['', 0, SIZE],
      ['bytes=0-', 0, SIZE],
      ['bytes=1-', 1, SIZE],
      ['bytes=0-1048576', 0, 1_048_577],
      ['bytes=7-5000000', 7, 5_000_001],
    ] as const)
      for (const own of [{}, { Range: 'bytes=3-9' }]) {
        const answer = await fetch(server.url, { headers: { 'X-Part': part, ...own } });
        expect([answer.status, answer.headers.get('Content-Range')]).toEqual([200, null]);
        expect(answer.headers.get('Content-Length')).toBe(String(end - start));
        for (const name of ['Content-Disposition', 'Transfer-Encoding'])
          expect(answer.headers.get(name)).toBeNull();
        expect(Bun.hash(await answer.bytes())).toBe(Bun.hash(bytes.subarray(start, end)));
      }
    await eventually(isFree);
    await eventually(() => openFiles() <= before + 2);
  });

  test('are sent whole though they are removed meanwhile', async () => {
    const { blobs, isOpened } = watched(from(disk));
    const { server, isFree } = serve({ blobs });
    const reader = standStill(server.port);
    await eventually(isOpened);
    await disk.remove([key]);
    expect(await disk.open(key)).toBeNull();
    expect(Bun.hash(await reader.rest())).toBe(Bun.hash(bytes));
    await eventually(isFree);
  });

  test('give back what their readers hold when these go away', async () => {
    const { server, isFree } = serve({ blobs: from(disk) });
    const readers = [standStill(server.port), standStill(server.port)];
    await eventually(() => !isFree());
    for (const { socket } of readers) socket.destroy();
    await eventually(isFree);
  });

  test('leave a client half of the slots, which come free at once when an answer is over', async () => {
    const { server } = serve({ blobs: from(disk) });
    const held = [standStill(server.port), standStill(server.port)];
    await eventually(async () => (await fetch(server.url)).status === 500);
    for (const { rest } of held) await rest();
    for (let n = 0; n < 5; n++) expect((await (await fetch(server.url)).bytes()).length).toBe(SIZE);
  });

  test('are missing where they were removed before', async () => {
    const { server, isFree } = serve({ blobs: from(disk) });
    await disk.remove([key]);
    expect((await fetch(server.url)).status).toBe(500);
    expect(isFree()).toBe(true);
  });

  test('are not kept for who takes longer than the least pace allows', async () => {
    const pace = { windowMs: 500, minBytes: SIZE };
    const { server, isFree, slow } = serve({ blobs: from(disk), pace });
    const reader = standStill(server.port);
    await eventually(() => !isFree());
    await eventually(isFree, 20_000);
    expect(slow()).toBe(1);
    expect((await reader.rest()).length).toBeLessThan(SIZE);
    expect((await (await fetch(server.url)).bytes()).length).toBe(SIZE);
    expect(slow()).toBe(1);
  }, 60_000);

  test('are not kept for who takes nothing', async () => {
    const { server, isFree } = serve({ blobs: from(disk), idleTimeout: 4 });
    const reader = standStill(server.port);
    await eventually(() => !isFree());
    await eventually(isFree);
    expect((await reader.rest()).length).toBeLessThan(SIZE);
  }, 60_000);
});

describe('without a copy', () => {
  test.each<[why: string, options: Partial<Options>]>([
    ['there is no room', { room: SIZE }],
    ['the store takes too long', { limitMs: -1 }],
  ])('because %s, a stream is the answer', async (_, options) => {
    const { server, isFree } = serve({ blobs: distant(disk), ...options });
    const answer = await fetch(server.url);
    expect([answer.status, answer.headers.get('Content-Length')]).toEqual([200, null]);
    expect(Bun.hash(await answer.bytes())).toBe(Bun.hash(bytes));
    await eventually(isFree);
  });

  test.each(['before it answers', 'on the way'])(
    'because the store stalls %s, a stream is the answer',
    async (when) => {
      let isCancelled = false;
      const stalled = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new Uint8Array(100_000)),
        cancel: () => {
          isCancelled = true;
        },
      });
      const { promise: later, resolve: answerLater } = Promise.withResolvers<{
        size: number;
        body: ReadableStream<Uint8Array>;
      }>();
      const first = { size: SIZE, body: stalled };
      let opened = 0;
      const stalling: BlobStore = {
        ...distant(disk),
        open: (...asked) => {
          opened += 1;
          if (opened > 1) return disk.open(...asked);
          return when === 'on the way' ? Promise.resolve(first) : later;
        },
      };
      const { server, isFree } = serve({ blobs: stalling, limitMs: 300 });
      const answer = await fetch(server.url);
      expect([answer.status, answer.headers.get('Content-Length')]).toEqual([200, null]);
      expect(Bun.hash(await answer.bytes())).toBe(Bun.hash(bytes));
      answerLater(first);
      await eventually(() => isCancelled && isFree());
    },
  );

  test('because the store fails on the way, there is an error instead of half an answer', async () => {
    const failing: BlobStore = {
      ...distant(disk),
      async open(_, range) {
        let left = 3;
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            if (left-- > 0) controller.enqueue(new Uint8Array(100_000));
            else controller.error(new Error('the store is gone'));
          },
        });
        return { size: range?.end ?? SIZE, body };
      },
    };
    const { server, isFree } = serve({ blobs: failing });
    expect((await fetch(server.url)).status).toBe(500);
    expect(isFree()).toBe(true);
  });
});
