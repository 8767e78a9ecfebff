import { expect, test } from 'bun:test';
import { createBurst } from '../../infra/load/burst.ts';
import { startKeyTraffic } from '../../infra/load/key-traffic.ts';
import { documents } from '../../infra/load/kinds/items.ts';
import { until } from '../../infra/until.ts';

/**
 * A server that acknowledges each write and removal, keeps the first `kept` writes of an address, and shows the last
 * of them in the API and under the short URL; unless it keeps all, it forgets removals, too.
 */
function startForgetful(kept: number) {
  const writes = new Map<string, string[]>();
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === '/docs/json') return Response.json({ paths: {}, components: { responses: {} } });
      const [, kind = ''] = /^\/api\/(\w+)/.exec(pathname) ?? [];
      const path = pathname.replace(/^\/api\/\w+/, '') || `/faults/${searchParams.get('id')}`;
      const known = writes.get(path) ?? [];
      if (request.method === 'DELETE') {
        if (kept === Number.POSITIVE_INFINITY) writes.delete(path);
        return new Response(null, { status: 204 });
      }
      if (request.method === 'GET') {
        const text = known.at(-1);
        if (text === undefined) return new Response(null, { status: 404 });
        return kind === 'kv' || !text.startsWith('{"value"')
          ? new Response(text)
          : new Response((JSON.parse(text) as { value: string }).value);
      }
      if (known.length < kept) writes.set(path, [...known, await request.text()]);
      return new Response('{}', { status: request.method === 'POST' ? 201 : 200 });
    },
  });
}

test.each([
  [Number.POSITIVE_INFINITY, false],
  [1, true],
])('writers and readers of keys at a server that keeps %d writes', async (kept, isFound) => {
  await using server = startForgetful(kept);
  const traffic = await startKeyTraffic({ gateways: [server.url.origin], keys: 2 });
  await traffic.moreChanges(12);
  const isStale = () => traffic.faults.some((fault) => fault.startsWith('stale'));
  // A reader may be slower than twelve changes.
  if (isFound) await until('a stale read is found', async () => isStale());
  await traffic.stop();
  expect(isStale()).toBe(isFound);
  expect((await traffic.missing()).length > 0).toBe(isFound);
  expect(traffic.refused()).toBe(0);
});

test.each([
  [Number.POSITIVE_INFINITY, false],
  [1, true],
])('a burst of writes at a server that keeps %d of each item', async (kept, isFound) => {
  await using server = startForgetful(kept);
  const burst = await createBurst({ gateways: [server.url.origin], mayBreakOff: false });
  const items = burst.add([documents, documents, documents]);
  await burst.prepare(items);
  await burst.send(items);
  expect(burst.writes).toEqual({ acknowledged: 3, refused: 0, unanswered: 0 });
  const faults = await burst.verify(items);
  expect(faults.map((fault) => fault.split(':')[0])).toEqual(isFound ? ['lost', 'lost', 'lost'] : []);
});
