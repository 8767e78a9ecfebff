import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import pino from 'pino';
import { createAccessEvents, GATHERED } from '../../../services/gateway/access-log/access-events.ts';
import { EVENT_BUFFER_LIMITS } from '../../../services/gateway/access-log/event-buffer.ts';
import { loggedRequestOf } from '../../../services/gateway/access-log/logged-request.ts';
import { RequestContext } from '../../../services/gateway/http/request-context.ts';
import type { LoggedRequest } from '../../../shared/contracts/access-columns.ts';
import type { RequestAttributes } from '../../../shared/contracts/access-log.ts';
import { gatherLines, type Logger } from '../../../shared/logger.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { until } from '../../faults/waiting.ts';

const REQUESTS = 1_000;
const LONG = 'x'.repeat(15_000);

/** Bytes that the engine holds outside of its own heap, where the characters of texts are. */
function textBytes(): number {
  Bun.gc(true);
  return heapStats().extraMemorySize;
}

// The engine copies very short parts of a text anyway: the path is none.
test.each<[what: string, headers: Record<string, string>, path: string]>([
  ['X-Forwarded-For', { 'X-Forwarded-For': `${LONG}, 192.0.2.7` }, '/public/of-no-great-length?q=1'],
  ['Host', { Host: LONG }, '/public/of-no-great-length?q=1'],
  ['query', {}, `/public/of-no-great-length?q=${LONG}`],
  ['path', {}, `/public/${LONG}`],
  ['User-Agent', { 'User-Agent': LONG }, '/public/of-no-great-length?q=1'],
  ['Referer', { Referer: LONG }, '/public/of-no-great-length?q=1'],
])('events of requests with a long %s do not hold all of it in memory', async (_, headers, path) => {
  const requests: LoggedRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, own) {
      requests.push(
        loggedRequestOf(
          new RequestContext(request, own, { baseUrl: null, trustProxy: 1, port: 80 }),
          200,
          0.001,
        ),
      );
      return new Response();
    },
  });
  const before = textBytes();
  for (let n = 0; n < REQUESTS; n += 20) {
    const asked = Array.from({ length: 20 }, () =>
      fetch(`http://127.0.0.1:${server.port}${path}`, { headers }),
    );
    for (const response of await Promise.all(asked)) await response.arrayBuffer();
  }
  const held = textBytes() - before;
  await server.stop(true);
  expect(requests).toHaveLength(REQUESTS);
  expect(requests[0]?.attributes.path).toStartWith('/public/');
  expect(held).toBeLessThan((REQUESTS * LONG.length) / 3);
});

/** A log of requests, whose stream takes nothing before `back` resolves. */
function open(log: Logger, back: Promise<void>) {
  const metrics = createMetrics('gateway');
  const stream = {
    publish: () => back,
    consume: () => Promise.reject(new Error('nobody consumes')),
    waiting: () => Promise.resolve(0),
    check: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const events = createAccessEvents({ events: stream, metrics, log, maxBytesPerDay: 0 });
  return {
    events,
    async buffered() {
      const page = await (await metrics.render()).text();
      return Number(/^access_events_buffered\S* (\d+)$/m.exec(page)?.[1]);
    },
  };
}

const request = (query: string, texts: Partial<RequestAttributes> = {}): LoggedRequest => ({
  at: 1,
  requestId: 'r',
  durationMs: 1,
  attributes: {
    clientIp: '192.0.2.7',
    userAgent: null,
    method: 'GET',
    path: '/',
    query,
    status: 200,
    referer: null,
    resourceType: null,
    resourceNamespace: null,
    resourceId: null,
    ...texts,
  },
});

// Texts that are not all ASCII may take two bytes a character.
test.each([
  ['one byte', 'x', 1],
  ['two bytes', '日', 2],
])('of events whose characters take %s so many are kept as fit into the bound', async (_, letter, bytes) => {
  const back = Promise.withResolvers<void>();
  const { events, buffered } = open(pino({ level: 'silent' }), back.promise);
  const texts = { userAgent: letter.repeat(500), referer: letter.repeat(1_000) };
  const fit = EVENT_BUFFER_LIMITS.bufferedCharacters / (1_500 * bytes);
  for (let n = 0; n < fit + 2_000; n++) events.record(request(`n=${n}`, texts));
  const kept = await buffered();
  back.resolve();
  await events.stop();
  // Some are still gathered, and have not come to the bound yet.
  expect(kept).toBeWithin(fit / 2, fit + GATHERED.atOnce);
});

/** A log whose lines are counted as they leave, which is at once. */
function countedLines(write: () => void = () => undefined) {
  let count = 0;
  const destination = gatherLines(
    {
      write() {
        count += 1;
        write();
      },
    },
    { blockBytes: 1, everyMs: 60_000 },
  );
  return { log: pino({}, destination), flush: destination.flush, lines: () => count };
}

test('each request is logged, with many others or soon after', async () => {
  const { log, lines } = countedLines();
  const { events, buffered } = open(log, Promise.resolve());
  const record = (count: number) => {
    for (let n = 0; n < count; n++) events.record(request(`n=${n}`));
  };
  const { atOnce } = GATHERED;
  record(atOnce - 1);
  expect([lines(), await buffered()]).toEqual([0, atOnce - 1]);
  record(1);
  expect(lines()).toBe(atOnce);
  record(atOnce + 1);
  expect(lines()).toBe(2 * atOnce);
  await until('the last request is logged', async () => lines() === 2 * atOnce + 1);
  record(1);
  await events.stop();
  expect(lines()).toBe(2 * atOnce + 2);
  expect(await buffered()).toBe(0);
});

test('a process that ends without a stop has logged all requests', async () => {
  const { log, lines, flush } = countedLines();
  const { events } = open(log, Promise.resolve());
  for (let n = 0; n < GATHERED.atOnce - 1; n++) events.record(request(`n=${n}`));
  flush();
  expect(lines()).toBe(GATHERED.atOnce - 1);
  await events.stop();
});

test('a request that is answered after the stop is logged at once', async () => {
  const { log, lines } = countedLines();
  const { events } = open(log, Promise.resolve());
  await events.stop();
  events.record(request('late'));
  expect(lines()).toBe(1);
});

test('a line that cannot be written costs none of the other requests their entries', async () => {
  const { log, lines } = countedLines(() => {
    throw new Error('the disk is full');
  });
  const back = Promise.withResolvers<void>();
  const { events, buffered } = open(log, back.promise);
  const { atOnce } = GATHERED;
  for (let n = 0; n < atOnce - 1; n++) events.record(request(`n=${n}`));
  expect(() => events.record(request('last'))).toThrow('the disk is full');
  expect([lines(), await buffered()]).toEqual([atOnce, atOnce]);
  back.resolve();
  await events.stop();
});
