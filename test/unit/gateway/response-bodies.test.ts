import { afterAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createFairBudget } from '../../../services/gateway/admission/fair-budget.ts';
import { type Connection, connectionOf } from '../../../services/gateway/http/client.ts';
import { createAnswerWatch } from '../../../services/gateway/items/answer-watch.ts';
import {
  createResponseBodies,
  type ResponseBodies,
} from '../../../services/gateway/items/response-bodies.ts';
import { UNHELD_BYTES } from '../../../services/gateway/items/response-memory.ts';
import { createSharedContents } from '../../../services/gateway/items/shared-contents.ts';
import { errors } from '../../../shared/errors.ts';
import { turns } from '../../../shared/turns.ts';

/** Bytes of which no two megabytes are alike, from where none is cut short unseen. */
function someBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = (at * 7 + (at >> 11)) & 255;
  return bytes;
}

interface Limits {
  /** Bytes of copies. */
  copies?: number;
  /** Bytes of contents on their way, of which one client alone may hold half. */
  room?: number;
  /** How long a reader may take, whatever it reads. */
  windowMs?: number;
}

/** Bodies as the gateway has them, and what they have done. */
function makeBodies({ copies, room = 1_000_000_000, windowMs = 600_000 }: Limits = {}) {
  let slow = 0;
  const refuse = () => errors.refused('long-reads');
  const pace = { windowMs, minBytes: 1_000_000_000_000 };
  const watch = createAnswerWatch({ pace, onSlow: () => void slow++ });
  const contents = createSharedContents(createFairBudget({ total: room, refuse }), watch);
  const limit = copies === undefined ? {} : { copiesLimitBytes: copies };
  return { ...createResponseBodies({ contents, refuse, ...limit }), watch, slow: () => slow };
}

/** The reader of an answer that lasts until it is ended here. */
function readerOf(clientKey: string, isHead = false) {
  let isOver = false;
  const connection: Connection = { isOver: () => isOver, hurry: () => undefined };
  return {
    clientKey,
    isHead,
    connection,
    end: () => {
      isOver = true;
    },
  };
}

interface Case {
  bodies: ResponseBodies;
  bytes: Uint8Array;
}

const cases = new Map<string, Case>();

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 240,
  async fetch(request) {
    const served = cases.get(new URL(request.url).pathname);
    // As in the gateway, no answer is ready at once.
    await turns(1);
    if (served === undefined) return new Response(null, { status: 404 });
    const clientKey = request.headers.get('x-client') ?? 'a';
    const reader = {
      clientKey,
      connection: connectionOf(request, server),
      isHead: request.method === 'HEAD',
    };
    const made = served.bodies.tryOf(reader, served.bytes);
    if (made === null) return new Response(null, { status: 503 });
    return new Response(made.body, { headers: { 'Content-Type': 'text/plain' } });
  },
});
afterAll(() => server.stop(true));

function serve(path: string, served: Case): string {
  cases.set(path, served);
  return new URL(path, server.url).href;
}

for (const length of [0, 1, 15_359, 15_360, 15_361, 1_048_575, 1_048_576, 5_242_880]) {
  test(`a body of ${length} bytes comes whole and with its length`, async () => {
    const bytes = someBytes(length);
    const url = serve(`/length-${length}`, { bodies: makeBodies(), bytes });
    const answers = await Promise.all(Array.from({ length: 4 }, () => fetch(url)));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-length')).toBe(String(length));
      expect(answer.headers.get('transfer-encoding')).toBeNull();
      expect(Buffer.compare(await answer.bytes(), bytes)).toBe(0);
    }
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(length));
    expect(head.headers.get('transfer-encoding')).toBeNull();
  });
}

test('copies are bounded: at the limit still one, past it a shared blob', async () => {
  const bytes = someBytes(20_000);
  for (const [copies, made] of [
    [19_999, Blob],
    [20_000, ReadableStream],
    [20_001, ReadableStream],
  ] as const)
    expect(makeBodies({ copies }).of(readerOf('a'), bytes)).toBeInstanceOf(made);
});

test('past the limit parts of one content are right too', async () => {
  const bytes = someBytes(100_000);
  const bodies = makeBodies({ copies: 0 });
  for (const [start, end] of [
    [0, 100_000],
    [1, 99_999],
    [50_000, 70_001],
  ] as const) {
    const url = serve(`/part-${start}`, { bodies, bytes: bytes.subarray(start, end) });
    const answer = await fetch(url);
    expect(answer.headers.get('content-length')).toBe(String(end - start));
    expect(Buffer.compare(await answer.bytes(), bytes.subarray(start, end))).toBe(0);
  }
});

/** More than the sockets of both sides take in. */
const LARGE = 32 * 1_048_576;

test('what slow readers hold counts until they have taken it, or have gone', async () => {
  const bytes = someBytes(LARGE);
  const bodies = makeBodies({ copies: LARGE });
  const url = new URL(serve('/slow', { bodies, bytes }));
  const isFull = (): boolean => {
    const reader = readerOf('probe');
    const body = bodies.of(reader, bytes);
    reader.end();
    return body instanceof Blob;
  };

  const gone = await openAndWait(url);
  await until(isFull);
  gone.destroy();
  await until(() => !isFull());

  const slow = await openAndWait(url);
  await until(isFull);
  const answers = await Promise.all([fetch(url), fetch(url)]);
  for (const answer of answers) expect(Buffer.compare(await answer.bytes(), bytes)).toBe(0);
  const answer = await readToEnd(slow);
  const bodyStart = answer.indexOf('\r\n\r\n') + 4;
  expect(answer.subarray(0, bodyStart).toString()).toContain(`Content-Length: ${LARGE}\r\n`);
  expect(Buffer.compare(answer.subarray(bodyStart), bytes)).toBe(0);
  await until(() => !isFull());
});

const N = 100_000;

test('different contents that one client has not taken are bounded: at its share still one, past it none', () => {
  for (const [room, isSent] of [
    [4 * N - 1, false],
    [4 * N, true],
    [4 * N + 1, true],
  ] as const) {
    for (const copies of [0, 10 * N]) {
      const bodies = makeBodies({ room, copies });
      bodies.of(readerOf('a'), someBytes(N));
      expect(bodies.tryOf(readerOf('a'), someBytes(N)) !== null).toBe(isSent);
    }
  }
});

test('a client without room is refused, another is answered, and what is over leaves room', () => {
  const bodies = makeBodies({ room: 4 * N });
  const [first, second] = [readerOf('a'), readerOf('a')];
  bodies.of(first, someBytes(N));
  bodies.of(second, someBytes(N));
  const refused = expect.objectContaining({ code: 'UNAVAILABLE', retryAfter: 2 });
  expect(() => bodies.of(readerOf('a'), someBytes(N))).toThrow(refused);
  expect(bodies.tryOf(readerOf('b'), someBytes(N))).not.toBeNull();
  second.end();
  expect(bodies.tryOf(readerOf('a'), someBytes(N))).toBeNull();
  first.end();
  bodies.watch.settle();
  expect(bodies.tryOf(readerOf('a'), someBytes(N))).not.toBeNull();
});

test('all readers of one content, and of parts of it, take its room once', () => {
  const bodies = makeBodies({ room: 4 * N, copies: 0 });
  const content = someBytes(N);
  const readers = Array.from({ length: 500 }, (_, n) => readerOf(`client ${n % 50}`));
  for (const [n, reader] of readers.entries()) bodies.of(reader, n % 2 === 0 ? content : content.subarray(1));
  // 300,000 are left: another client may take half of these.
  bodies.of(readerOf('b'), someBytes(N));
  const last = readers.pop();
  for (const reader of readers) reader.end();
  bodies.watch.settle();
  expect(bodies.tryOf(readerOf('c'), someBytes(2 * N))).toBeNull();
  last?.end();
  expect(bodies.tryOf(readerOf('c'), someBytes(1.5 * N))).not.toBeNull();
});

test('a part of a long content takes the room of all that stays in memory for it', () => {
  for (const [room, isSent] of [
    [2 * N - 1, false],
    [2 * N, true],
  ] as const)
    expect(makeBodies({ room }).tryOf(readerOf('a'), someBytes(N).subarray(1)) !== null).toBe(isSent);
});

test.each([UNHELD_BYTES - 1, UNHELD_BYTES, UNHELD_BYTES + 1])(
  'of %d bytes a body needs room only above the bound, of a content that is longer, too',
  (length) => {
    for (const copies of [0, N])
      for (const bytes of [someBytes(length), someBytes(2 * N).subarray(N, N + length)]) {
        const made = makeBodies({ room: 0, copies }).tryOf(readerOf('a'), bytes);
        expect(made === null).toBe(length > UNHELD_BYTES);
      }
  },
);

test('a short part of a long content is copied, as a Blob would keep all of it', () => {
  const bodies = makeBodies({ copies: 0 });
  expect(bodies.of(readerOf('a'), someBytes(N).subarray(0, 20_000))).toBeInstanceOf(ReadableStream);
  expect(bodies.of(readerOf('a'), someBytes(20_000))).toBeInstanceOf(Blob);
});

test('a HEAD, a caller without a connection and bytes that hold room already need none', () => {
  const bodies = makeBodies({ room: 0 });
  const bytes = someBytes(N);
  expect(bodies.of(readerOf('a', true), bytes)).toBe(bytes);
  expect(bodies.of({ clientKey: 'a', connection: null }, bytes)).toBe(bytes);
  expect(bodies.of(readerOf('a'), bytes, true)).toBeInstanceOf(ReadableStream);
  expect(makeBodies({ room: 0, copies: 0 }).of(readerOf('a'), bytes, true)).toBe(bytes);
});

test('answers that are under way together share one Blob, which goes with the last of them', () => {
  const plain = globalThis.Blob;
  let made = 0;
  globalThis.Blob = class extends plain {
    constructor(...given: ConstructorParameters<typeof plain>) {
      super(...given);
      made += 1;
    }
  };
  try {
    const bodies = makeBodies({ copies: 0 });
    for (const bytes of [someBytes(N), someBytes(20_000)]) {
      made = 0;
      const [first, second] = [readerOf('a'), readerOf('b')];
      bodies.of(first, bytes);
      bodies.of(second, bytes);
      first.end();
      bodies.watch.settle();
      bodies.of(second, bytes);
      expect(made).toBe(1);
      second.end();
      bodies.watch.settle();
      bodies.of(readerOf('a'), bytes);
      expect(made).toBe(2);
    }
  } finally {
    globalThis.Blob = plain;
  }
});

test.each([0, 2 * LARGE])('with %d bytes of copies two who ask at once share the room', async (copies) => {
  const bodies = makeBodies({ copies, room: 3 * LARGE });
  const urls = [0, 1].map((n) => new URL(serve(`/two-${copies}-${n}`, { bodies, bytes: someBytes(LARGE) })));
  const isFull = (client: string) => bodies.tryOf(readerOf(client), someBytes(LARGE)) === null;
  const sockets = await Promise.all(urls.map(openAndWait));
  const answers = await Promise.all(sockets.map(statusOf));
  expect(answers.toSorted()).toEqual(['200', '503']);
  expect(isFull('a')).toBe(true);
  // The content that is under way already is there for others, and for more readers of the client.
  const sent = urls[answers.indexOf('200')];
  for (const client of ['a', 'b']) {
    const answer = await fetch(sent ?? '', { headers: { 'X-Client': client } });
    expect(answer.status).toBe(200);
    expect((await answer.bytes()).length).toBe(LARGE);
  }
  for (const socket of sockets) socket.destroy();
  await until(() => {
    bodies.watch.settle();
    return !isFull('a');
  });
});

test.each([0, 2 * LARGE])(
  'with %d bytes of copies a reader who is too slow is cut off',
  async (copies) => {
    const bodies = makeBodies({ copies, windowMs: 1 });
    const socket = await openAndWait(new URL(serve(`/late-${copies}`, { bodies, bytes: someBytes(LARGE) })));
    socket.on('error', () => undefined);
    await until(() => bodies.slow() === 1);
    await until(() => server.pendingRequests === 0);
    expect((await readToEnd(socket)).length).toBeLessThan(LARGE);
  },
  30_000,
);

/** A client that has asked, and reads nothing. */
async function openAndWait(url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  socket.pause();
  await once(socket, 'connect');
  socket.write(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: close\r\n\r\n`);
  return socket;
}

/** The status of an answer of which a client reads no more than the beginning. */
async function statusOf(socket: Socket): Promise<string | undefined> {
  const beginning = once(socket, 'data');
  socket.resume();
  const [head] = (await beginning) as [Buffer];
  socket.pause();
  return head.toString('latin1', 0, 30).split(' ')[1];
}

async function readToEnd(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.resume();
  await once(socket, 'close');
  return Buffer.concat(chunks);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(5);
}
