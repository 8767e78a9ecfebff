import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { accessEventOf } from '../../../services/gateway/access-events.ts';
import { Exchange } from '../../../services/gateway/http/exchange.ts';
import type { AccessEvent } from '../../../shared/contracts/access-log.ts';

const REQUESTS = 1_000;
const LONG = 'x'.repeat(15_000);

/** What the engine holds outside of its own heap, where the characters of texts are. */
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
  const events: AccessEvent[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, own) {
      events.push(accessEventOf(new Exchange(request, own, 1), 200, 0.001));
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
  expect(events).toHaveLength(REQUESTS);
  expect(events[0]?.path).toStartWith('/public/');
  expect(held).toBeLessThan((REQUESTS * LONG.length) / 3);
});
