import { afterEach, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { createFairBudget } from '../../../services/gateway/admission/fair-budget.ts';
import type { ReadPace } from '../../../services/gateway/items/answer-watch.ts';
import { createLongReads } from '../../../services/gateway/items/long-reads.ts';
import { errors } from '../../../shared/errors.ts';
import { eventually } from '../../acceptance/support/concurrency.ts';

const CHUNK = 262_144;
const refuse = () => errors.refused('long-reads');
const cleanUps: Array<() => unknown> = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** A server that answers with long reads of one client; `next` waits for the store before each chunk. */
function serve(pace: ReadPace, chunks: number, next: () => Promise<unknown> = async () => undefined) {
  const slots = createFairBudget({ total: 4, refuse, waitMs: 20 });
  const seen = { slow: 0, cancelled: 0 };
  const longReads = createLongReads({ slots, pace, onSlow: () => void seen.slow++ });
  const open = async () => {
    let left = chunks;
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await next();
          if (left-- > 0) controller.enqueue(new Uint8Array(CHUNK));
          else controller.close();
        },
        cancel() {
          seen.cancelled += 1;
        },
      },
      { highWaterMark: 0 },
    );
  };
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    error: () => new Response(null, { status: 500 }),
    fetch: async () => new Response(await longReads.stream('a', open)),
  });
  cleanUps.push(() => server.stop(true));
  return { seen, longReads, server, slotsLeft: () => slotsOf(slots) };
}

/** How many slots a client that holds none finds. */
function slotsOf(slots: ReturnType<typeof createFairBudget>): number {
  const holding = slots.open('probe');
  let count = 0;
  while (holding.tryTake(1)) count += 1;
  holding.release();
  return count;
}

/** A client that asks and then takes nothing. */
async function standStill(server: Bun.Server<unknown>): Promise<{ socket: Socket; isClosed(): boolean }> {
  let closed = false;
  const socket = connect(server.port ?? 0, '127.0.0.1');
  socket
    .on('error', () => undefined)
    .on('close', () => {
      closed = true;
    });
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: perch\r\n\r\n');
  cleanUps.push(() => socket.destroy());
  return { socket, isClosed: () => closed };
}

const PATIENT = { windowMs: 600_000, minBytes: CHUNK };

test('a reader who stands still is closed, and gives slot and source back', async () => {
  const { seen, server, slotsLeft } = serve({ windowMs: 200, minBytes: CHUNK }, Number.POSITIVE_INFINITY);
  const reader = await standStill(server);
  await eventually(() => seen.slow === 1);
  await eventually(() => seen.cancelled === 1 && slotsLeft() === 2);
  reader.socket.resume();
  await eventually(reader.isClosed);
});

test('who takes enough in each window gets everything, however long it lasts', async () => {
  const { seen, server, slotsLeft } = serve({ windowMs: 500, minBytes: CHUNK }, 20, () => Bun.sleep(100));
  expect(await (await fetch(server.url)).bytes()).toHaveLength(20 * CHUNK);
  expect(seen).toEqual({ slow: 0, cancelled: 0 });
  await eventually(() => slotsLeft() === 2);
});

test('a slow store is not the issue of the reader', async () => {
  const { seen, server } = serve({ windowMs: 300, minBytes: CHUNK }, 2, () => Bun.sleep(900));
  expect(await (await fetch(server.url)).bytes()).toHaveLength(2 * CHUNK);
  expect(seen.slow).toBe(0);
});

test('a reader who goes away gives slot and source back', async () => {
  const { seen, server, slotsLeft } = serve(PATIENT, Number.POSITIVE_INFINITY);
  const { socket } = await standStill(server);
  await eventually(() => slotsLeft() === 1);
  socket.destroy();
  await eventually(() => seen.cancelled === 1 && slotsLeft() === 2);
});

test('a client has half of the slots, and others find one; who cannot begin holds none', async () => {
  const { longReads, slotsLeft } = serve(PATIENT, 1);
  const open = async () => new ReadableStream<Uint8Array>();
  const held = [await longReads.stream('a', open), await longReads.stream('a', open)];
  await expect(longReads.stream('a', open)).rejects.toMatchObject({ code: 'UNAVAILABLE', isRefusal: true });
  const other = await longReads.stream('b', open);
  for (const stream of [...held, other]) await stream.cancel();
  const broken = longReads.stream('a', () => Promise.reject(new Error('the store is away')));
  await expect(broken).rejects.toThrow('the store is away');
  expect(slotsLeft()).toBe(2);
});
