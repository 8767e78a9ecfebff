import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import pino from 'pino';
import { createAccessEvents, loggedRequestOf } from '../../../services/gateway/access-log/access-events.ts';
import { EVENT_BUFFER_LIMITS } from '../../../services/gateway/access-log/event-buffer.ts';
import { RequestContext } from '../../../services/gateway/http/request-context.ts';
import type { LoggedRequest } from '../../../shared/contracts/access-columns.ts';
import { createMetrics } from '../../../shared/metrics.ts';

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

// Texts that are not all ASCII may take two bytes a character.
test.each([
  ['one byte', 'x', 1],
  ['two bytes', '日', 2],
])('of events whose characters take %s so many are kept as fit into the bound', async (_, letter, bytes) => {
  const metrics = createMetrics('gateway');
  const back = Promise.withResolvers<void>();
  const stream = {
    publish: () => back.promise,
    consume: () => Promise.reject(new Error('nobody consumes')),
    waiting: () => Promise.resolve(0),
    check: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const events = createAccessEvents({
    events: stream,
    metrics,
    log: pino({ level: 'silent' }),
    maxBytesPerDay: 0,
  });
  const request = (n: number): LoggedRequest => ({
    at: 1,
    requestId: 'r',
    durationMs: 1,
    attributes: {
      clientIp: '192.0.2.7',
      userAgent: letter.repeat(500),
      method: 'GET',
      path: '/',
      query: `n=${n}`,
      status: 200,
      referer: letter.repeat(1_000),
      resourceType: null,
      resourceNamespace: null,
      resourceId: null,
    },
  });
  const fit = EVENT_BUFFER_LIMITS.bufferedCharacters / (1_500 * bytes);
  for (let n = 0; n < fit + 1_000; n++) events.record(request(n));
  const page = await (await metrics.render()).text();
  const kept = Number(/^access_events_buffered\S* (\d+)$/m.exec(page)?.[1]);
  back.resolve();
  await events.stop();
  expect(kept).toBeWithin(fit / 2, fit);
});
