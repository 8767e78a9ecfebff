import { afterEach, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { createFairBudget } from '../../../services/gateway/admission/fair-budget.ts';
import { connectionOf } from '../../../services/gateway/http/client.ts';
import { createAnswerWatch } from '../../../services/gateway/items/answer-watch.ts';
import {
  createResponseMemory,
  heldJson,
  UNHELD_BYTES,
} from '../../../services/gateway/items/response-memory.ts';
import { errors } from '../../../shared/errors.ts';
import { eventually } from '../../acceptance/support/concurrency.ts';

/** More than the buffers of the kernel between a server and a reader who takes nothing. */
const ANSWER_BYTES = 20_000_000;

const cleanUps: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

const refuse = () => errors.refused('long-reads');

/** A server that answers each client with bytes of its own, within room for four answers. */
function serve(room = 4 * ANSWER_BYTES) {
  const budget = createFairBudget({ total: room, refuse, waitMs: 20 });
  const watch = createAnswerWatch({ pace: { windowMs: 600_000, minBytes: 1 }, onSlow: () => undefined });
  const answers = createResponseMemory(budget, watch, refuse);
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 240,
    async fetch(request) {
      const { searchParams } = new URL(request.url);
      const bytes = Number(searchParams.get('bytes') ?? ANSWER_BYTES);
      const reader = {
        clientKey: searchParams.get('client') ?? 'a',
        connection: connectionOf(request, server),
        isHead: request.method === 'HEAD',
      };
      try {
        if (searchParams.has('made')) answers.holdMade(reader, bytes);
        else await answers.hold(reader, bytes);
      } catch {
        return new Response(null, { status: 503 });
      }
      return new Response('x'.repeat(bytes));
    },
  });
  cleanUps.push(() => server.stop(true));
  /** Bytes that nobody holds. */
  const free = (): number => {
    const probe = budget.open('probe');
    let [low, high] = [0, room];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const holding = budget.open('probe');
      if (holding.tryTake(middle)) low = middle;
      else high = middle - 1;
      holding.release();
    }
    probe.release();
    // A client alone may take half of what is free.
    return 2 * low;
  };
  const ask = (query: string): Promise<Response> => fetch(`${server.url}?${query}`);
  return { server, watch, free, ask };
}

/** A reader who asks and takes nothing, until it takes all or leaves. */
function standStill(port: number | undefined, query: string): { leave(): void; takeAll(): void } {
  const socket = connect(port ?? 0, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`GET /?${query} HTTP/1.1\r\nHost: perch\r\n\r\n`);
  cleanUps.push(() => socket.destroy());
  return {
    leave: () => void socket.destroy(),
    takeAll: () => void socket.on('data', () => undefined).resume(),
  };
}

test('a client that takes nothing is refused above its share, and another is answered', async () => {
  const { server, ask, free } = serve();
  const all = free();
  const still = [1, 2].map(() => standStill(server.port, 'client=a'));
  await eventually(() => free() === all - 2 * ANSWER_BYTES);
  expect((await ask('client=a')).status).toBe(503);
  const other = await ask('client=b&bytes=15000000');
  expect(other.status).toBe(200);
  expect(await other.text()).toHaveLength(15_000_000);
  // One takes its answer, one goes away: both leave room.
  still[0]?.takeAll();
  still[1]?.leave();
  await eventually(() => free() === all);
  expect(await (await ask('client=a')).text()).toHaveLength(ANSWER_BYTES);
});

test('an answer that is made already does not wait, and a HEAD needs no room', async () => {
  const { server, ask, free } = serve();
  const all = free();
  const still = [1, 2].map(() => standStill(server.port, 'client=a&made'));
  await eventually(() => free() === all - 2 * ANSWER_BYTES);
  expect((await ask('client=a&made')).status).toBe(503);
  expect((await ask('client=b&made&bytes=15000000')).status).toBe(200);
  expect((await fetch(`${server.url}?client=a&made`, { method: 'HEAD' })).status).toBe(200);
  for (const reader of still) reader.leave();
  await eventually(() => free() === all);
});

test('answers that are over give their room to the next one without waiting', async () => {
  const { ask } = serve();
  for (let n = 0; n < 12; n++) {
    const answer = await ask('client=a');
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  }
});

test('two answers at once share the room of a client', async () => {
  const { server, free, ask } = serve(ANSWER_BYTES * 3);
  const all = free();
  const both = [standStill(server.port, 'client=a'), standStill(server.port, 'client=a')];
  await eventually(() => free() === all - ANSWER_BYTES);
  expect(both).toHaveLength(2);
  expect((await ask('client=a')).status).toBe(503);
});

test.each([UNHELD_BYTES - 1, UNHELD_BYTES, UNHELD_BYTES + 1])(
  'of %d bytes an answer needs room only above the bound',
  async (bytes) => {
    const { ask } = serve(UNHELD_BYTES);
    expect((await ask(`bytes=${bytes}`)).status).toBe(bytes > UNHELD_BYTES ? 503 : 200);
  },
);

test('a caller within this process holds nothing, and JSON keeps its headers', async () => {
  const watch = createAnswerWatch({ pace: { windowMs: 1, minBytes: 1 }, onSlow: () => undefined });
  const answers = createResponseMemory(createFairBudget({ total: 0, refuse, waitMs: 1 }), watch, refuse);
  const inside = { clientKey: 'a', connection: null };
  const answer = heldJson(answers, inside, ['y'.repeat(UNHELD_BYTES)], { 'X-Total-Count': '1' });
  expect(answer.headers.get('content-type')).toBe('application/json;charset=utf-8');
  expect(answer.headers.get('x-total-count')).toBe('1');
  expect(await answer.json()).toEqual(['y'.repeat(UNHELD_BYTES)]);
});
