import { afterAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createWholeBodies, type WholeBodies } from '../../../services/gateway/items/whole-bodies.ts';
import { turns } from '../../../shared/turns.ts';

/** Bytes of which no two megabytes are alike, from where none is cut short unseen. */
function someBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = (at * 7 + (at >> 11)) & 255;
  return bytes;
}

interface Case {
  bodies: WholeBodies;
  bytes: Uint8Array;
}

const cases = new Map<string, Case>();

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const served = cases.get(new URL(request.url).pathname);
    // As in the gateway, no answer is ready at once.
    await turns(1);
    if (served === undefined) return new Response(null, { status: 404 });
    const body = served.bodies.of({ isHead: request.method === 'HEAD' }, served.bytes);
    return new Response(body, { headers: { 'Content-Type': 'text/plain' } });
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
    const url = serve(`/length-${length}`, { bodies: createWholeBodies(), bytes });
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
  expect(createWholeBodies(19_999).of({ isHead: false }, bytes)).toBeInstanceOf(Blob);
  expect(createWholeBodies(20_000).of({ isHead: false }, bytes)).toBeInstanceOf(ReadableStream);
  expect(createWholeBodies(20_001).of({ isHead: false }, bytes)).toBeInstanceOf(ReadableStream);
});

test('past the limit parts of one content are right too', async () => {
  const bytes = someBytes(100_000);
  const bodies = createWholeBodies(0);
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
  const bodies = createWholeBodies(LARGE);
  const url = new URL(serve('/slow', { bodies, bytes }));
  const isFull = (): boolean => bodies.of({ isHead: false }, bytes) instanceof Blob;

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

/** A client that has asked, and reads nothing. */
async function openAndWait(url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  socket.pause();
  await once(socket, 'connect');
  socket.write(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: close\r\n\r\n`);
  return socket;
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
